// The reference page's only script; the content security policy allows it by its hash. Without it
// the page is complete: the search field and the buttons are invisible until it runs.

export const DOCS_SCRIPT = `
const theme = localStorage.getItem('theme');
if (theme === 'dark' || theme === 'light') document.documentElement.dataset.theme = theme;

const field = document.querySelector('#find');
const links = [...document.querySelectorAll('nav.side li a')].map((link) => {
  const target = document.getElementById(link.hash.slice(1));
  const named = (link.textContent + ' ' + link.hash).toLowerCase();
  return { link, named, text: (target ? target.textContent : '').toLowerCase() };
});

function find() {
  const words = field.value.toLowerCase().split(' ').filter(Boolean);
  const has = (text) => words.every((word) => text.includes(word));
  // What is named so comes before what only mentions it.
  const isNamed = links.some(({ named }) => has(named));
  for (const { link, named, text } of links) {
    link.parentElement.hidden = !has(isNamed ? named : text);
  }
  for (const group of document.querySelectorAll('nav.side .group')) {
    group.hidden = group.querySelector('li:not([hidden])') === null;
  }
}

for (const part of document.querySelectorAll('.waits')) part.classList.remove('waits');
field.addEventListener('input', find);
field.addEventListener('keydown', (event) => {
  const first = links.find(({ link }) => !link.parentElement.hidden);
  if (event.key === 'Enter' && first) location.hash = first.link.hash;
});
addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target === field) return;
  event.preventDefault();
  field.focus();
});

async function ask(button) {
  const shown = button.nextElementSibling;
  shown.hidden = false;
  shown.textContent = '…';
  try {
    const response = await fetch(button.dataset.path);
    const text = await response.text();
    const isJson = (response.headers.get('content-type') || '').includes('json');
    const body = isJson ? JSON.stringify(JSON.parse(text), null, 2) : text;
    shown.textContent = response.status + ' ' + response.statusText + '\\n' + body.slice(0, 20000);
  } catch (error) {
    shown.textContent = String(error);
  }
}

for (const button of document.querySelectorAll('button.try')) {
  button.addEventListener('click', () => ask(button));
}
`;
