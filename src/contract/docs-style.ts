// The reference page's only style sheet; the content security policy allows it by its hash.

export const DOCS_STYLE = `
:root{color-scheme:light;--text:#14181c;--soft:#56616c;--line:#d5dce3;--back:#fff;--side:#f5f7f9;--code:#f5f7f9;--mark:#0e7a5f;--mark-soft:#e2f1ec;--get:#0e7a5f;--post:#7a5200;--delete:#b92a2a;--warn:#8a5a00}
@media(prefers-color-scheme:dark){:root:not([data-theme=light]){color-scheme:dark;--text:#e6edf3;--soft:#9aa7b4;--line:#28323c;--back:#0f1317;--side:#161c22;--code:#161c22;--mark:#4cc2a0;--mark-soft:#16302a;--get:#4cc2a0;--post:#f0b429;--delete:#ff7b7b;--warn:#f0b429}}
:root[data-theme=dark]{color-scheme:dark;--text:#e6edf3;--soft:#9aa7b4;--line:#28323c;--back:#0f1317;--side:#161c22;--code:#161c22;--mark:#4cc2a0;--mark-soft:#16302a;--get:#4cc2a0;--post:#f0b429;--delete:#ff7b7b;--warn:#f0b429}
*{box-sizing:border-box}
html{scroll-padding-top:1.5rem}
body{margin:0;font:16px/1.6 system-ui,-apple-system,"Segoe UI",sans-serif;color:var(--text);background:var(--back)}
.page{display:grid;grid-template-columns:300px minmax(0,1fr);max-width:1280px;margin:0 auto}
nav.side{position:sticky;top:0;height:100vh;overflow-y:auto;padding:1.75rem 1rem 3rem 1.5rem;background:var(--side);border-right:1px solid var(--line);font-size:.9rem}
nav.side .brand{font-weight:700;font-size:1.15rem;margin:0 0 .1rem}
nav.side p{margin:0}
nav.side .brand a{padding:0;font-weight:700}
nav.side .brand a:hover{background:none;color:var(--mark)}
nav.side input{width:100%;margin-top:.8rem;padding:.45rem .7rem;font:inherit;color:inherit;background:var(--back);border:1px solid var(--line);border-radius:8px}
[hidden]{display:none!important}
.waits{visibility:hidden}
:focus-visible{outline:2px solid var(--mark);outline-offset:2px}
button.try{padding:.3rem .9rem;font:inherit;font-size:.9rem;color:var(--mark);background:none;border:1px solid var(--mark);border-radius:8px;cursor:pointer}
pre.answer{max-height:30rem;overflow:auto}
nav.side h2{margin:1.4rem 0 .3rem;padding:0;border:0;font-size:.72rem;letter-spacing:.08em;text-transform:uppercase;color:var(--soft)}
nav.side ul{list-style:none;margin:0;padding:0}
nav.side a{display:flex;gap:.55rem;align-items:baseline;padding:.2rem .5rem;border-radius:6px;color:var(--text);text-decoration:none;overflow-wrap:anywhere}
nav.side a:hover{background:var(--mark-soft)}
main{padding:2.5rem 3rem 6rem;min-width:0}
h1{margin:0 0 .25rem;font-size:2rem;line-height:1.2}
h2{margin:3.5rem 0 .75rem;padding-top:1rem;border-top:1px solid var(--line);font-size:1.5rem;line-height:1.25}
h3{margin:2.25rem 0 .4rem;font-size:1.12rem;overflow-wrap:anywhere}
h4{margin:1.75rem 0 .3rem;font-size:1rem}
h5{margin:1.25rem 0 .3rem;font-size:.95rem}
p{margin:.6rem 0}
ul,ol{padding-left:1.3rem;margin:.6rem 0}
li{margin:.25rem 0}
a{color:var(--mark);text-underline-offset:.15em}
.soft{color:var(--soft)}
.lead{font-size:1.08rem;color:var(--soft);max-width:46rem}
code,pre{font:13.5px/1.55 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
code{padding:.12em .35em;background:var(--code);border-radius:5px;overflow-wrap:anywhere}
pre{margin:.75rem 0;padding:.9rem 1.1rem;overflow-x:auto;background:var(--code);border:1px solid var(--line);border-radius:9px;tab-size:2}
pre code{padding:0;background:none;overflow-wrap:normal}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;margin:.75rem 0;font-size:.93rem}
th,td{text-align:left;vertical-align:top;padding:.45rem .9rem .45rem 0;border-bottom:1px solid var(--line)}
th{font-weight:600;color:var(--soft)}
td:first-child code{white-space:nowrap}
.method{font:700 .72rem/1 ui-monospace,SFMono-Regular,Menlo,monospace;letter-spacing:.02em}
.GET{color:var(--get)}.POST{color:var(--post)}.DELETE{color:var(--delete)}
nav.side .method{flex:none;width:3.1rem}
h3 .method{font-size:.85rem;margin-right:.5rem}
.chips{display:flex;flex-wrap:wrap;gap:.4rem;margin:.7rem 0;padding:0;list-style:none}
.chips li{margin:0;padding:.12rem .6rem;border:1px solid var(--line);border-radius:99px;font-size:.82rem;color:var(--soft)}
details{margin:.75rem 0}
summary{cursor:pointer;color:var(--mark);font-size:.93rem}
section,article{scroll-margin-top:1rem}
article.error{padding:.9rem 1.1rem;margin:.75rem 0;border:1px solid var(--line);border-radius:9px}
article.error h3{margin:0 0 .3rem}
article.error p{margin:.3rem 0}
.status{color:var(--warn);font-weight:600;margin-right:.5rem}
:target{background:var(--mark-soft);box-shadow:0 0 0 .5rem var(--mark-soft);border-radius:6px}
.uses a{margin-right:.5rem;white-space:nowrap}
@media(max-width:900px){.page{display:block}nav.side{position:static;height:auto;max-height:45vh;border-right:0;border-bottom:1px solid var(--line);padding:1.25rem}nav.side .groups{columns:2;column-gap:1.5rem}main{padding:1.5rem 1.25rem 4rem}}
@media(max-width:560px){nav.side .groups{columns:1}h1{font-size:1.6rem}}
@media print{nav.side{display:none}.page{display:block}details>*{display:block}}
`;
