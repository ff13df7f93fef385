/** What the welcome page adds to the style of every page. Colors have a contrast of at least 4.5 to 1. */
export const WELCOME_STYLE = `
html{background:light-dark(#fff,#16191d);color:light-dark(#1c1e21,#e6e8ea)}
body{max-width:52rem;margin:2rem auto}
h2{margin:2.5rem 0 .5rem;font-size:1.3rem}
h3{margin:1rem 0 .25rem;font-size:1rem}
ol{padding-left:1.5rem}
pre{margin:0;padding:.75rem 1rem;border-radius:.4rem;background:light-dark(#f2f3f5,#22262b);white-space:pre-wrap;overflow-wrap:anywhere}
pre code{font-size:.85rem}
[role=region]{overflow-x:auto}
table{border-collapse:collapse;min-width:100%}
th,td{padding:.4rem 1rem .4rem 0;text-align:left;border-bottom:1px solid light-dark(#d5d8dc,#444a52);white-space:nowrap;font-weight:normal}
thead th{font-weight:bold}
td code{overflow-wrap:normal}
a{color:light-dark(#0b57a4,#8ab8ee)}
`.replaceAll('\n', '');
