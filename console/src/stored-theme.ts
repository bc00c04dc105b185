// Sets the theme that the user chose before the page is painted.

const stored = localStorage.getItem('theme');
if (stored === 'dark' || stored === 'light') document.documentElement.dataset['theme'] = stored;
