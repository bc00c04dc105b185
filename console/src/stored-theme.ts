// Sets the theme and the colours that the user chose before the page is painted.

const stored = localStorage.getItem('theme');
if (stored === 'dark' || stored === 'light') document.documentElement.dataset['theme'] = stored;
document.documentElement.dataset['palette'] = localStorage.getItem('palette') ?? '';
