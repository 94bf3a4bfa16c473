/** The colors on a light page. Color-blind readers can distinguish them (after Okabe and Ito); vermilion is reserved for errors. */
const LIGHT: Readonly<Record<string, string>> = {
  page: '#fff',
  ink: '#1a1d21',
  soft: '#59616b',
  line: '#dfe3e8',
  panel: '#f5f7f9',
  c0: '#0072b2',
  c1: '#e69f00',
  c2: '#009e73',
  c3: '#b05a94',
  c4: '#56b4e9',
  c5: '#8c6d31',
  bad: '#c73e00',
  good: '#00734f',
  doubt: '#8a5a00',
  quiet: '#aab2bb',
  inbar: '#fff',
  halo: '#fff',
};

const lightColors = Object.entries(LIGHT)
  .map(([name, color]) => `--${name}:${color};`)
  .join(' ');

const FONTS = 'system-ui, "Segoe UI", Roboto, "Liberation Sans", sans-serif';

/** What a drawing needs. */
const PLOT_STYLE = `
svg text { font-size: 13.5px; fill: var(--soft); font-variant-numeric: tabular-nums; }
svg text.title, svg text.name { fill: var(--ink); } svg text.inbar { fill: var(--inbar); font-weight: 650; font-size: 13px; }
svg text.inbar.r1, svg text.inbar.r4 { fill: #14171a; }
.grid { stroke: var(--line); } .axis { stroke: var(--soft); }
.r0 { fill: var(--c0); } .r1 { fill: var(--c1); } .r2 { fill: var(--c2); } .r3 { fill: var(--c3); } .r4 { fill: var(--c4); } .r5 { fill: var(--c5); }
.quiet { fill: var(--quiet); } svg .bad { fill: var(--bad); }
.truth { fill: none; stroke: var(--soft); stroke-width: 1.6; } .below { fill: var(--bad); opacity: .09; }
.ring { fill: none; stroke: var(--bad); stroke-width: 1.5; } .cross { stroke: var(--bad); stroke-width: 2.2; }
.dots { opacity: .6; } .hit { fill: transparent; } .box { fill: none; stroke: var(--ink); stroke-width: 1.4; }
.median { stroke: var(--ink); stroke-width: 3.5; } .p99 { stroke: var(--ink); stroke-width: 1.4; }
.lane0 { fill: var(--panel); } .lane1 { fill: var(--page); }
.bar { stroke: var(--halo); stroke-width: .8; } .bar.wrong { stroke: var(--bad); stroke-width: 2.6; }
.bar.open { fill-opacity: .5; stroke: var(--ink); stroke-width: 1.2; stroke-dasharray: 4 3; }
.clash { fill: var(--bad); opacity: .28; } .lingering { fill: none; stroke: var(--soft); stroke-width: 1.4; stroke-dasharray: 5 4; } .hatch { stroke: var(--soft); stroke-width: 2.4; }
.gap { fill: url(#hatch); } .gap.paused { opacity: .5; } .gap.dead { opacity: .95; }
.fault line { stroke: var(--bad); stroke-width: 1.8; stroke-dasharray: 5 3; } .fault text { fill: var(--bad); font-weight: 600; }
`;

/** The style of a drawing that stands alone, for programs that know no CSS variables. */
export const IMAGE_STYLE = `${PLOT_STYLE}svg { font-family: ${FONTS}; } .paper { fill: var(--page); }
.heading { font-size: 22px; font-weight: 650; fill: var(--ink); }
`.replace(/var\(--(\w+)\)/g, (_, name: string) => LIGHT[name] ?? '');

/** The style of the page, without fonts or other resources from the network. */
export const STYLE = `
:root { color-scheme: light dark; ${lightColors} }
@media (prefers-color-scheme: dark) { :root { --page:#14171a; --ink:#e8ebee; --soft:#a3acb6; --line:#30363d; --panel:#1d2126;
  --c0:#4aa8e0; --c1:#f0b030; --c2:#2fc49a; --c3:#dd92c2; --c4:#a5d8f5; --c5:#c9a765;
  --bad:#ff7a45; --good:#3fd0a0; --doubt:#f0b84a; --quiet:#6d7782; --inbar:#14171a; --halo:#14171a; } }
@media print { :root { color-scheme: light; ${lightColors} --ink:#000; --soft:#444; --line:#ddd; }
  section, .tiles, header { break-inside: avoid; } body { font-size: 12px; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 ${FONTS}; }
main { max-width: 1240px; margin: 0 auto; padding: 24px clamp(16px, 3vw, 40px) 48px; }
.title { margin: 0; color: var(--soft); overflow-wrap: anywhere; }
h1 { margin: 4px 0 8px; font-size: clamp(28px, 4vw, 44px); line-height: 1.15; }
h1.safe { color: var(--good); } h1.data-wrong { color: var(--bad); } h1.unavailable { color: var(--c3); }
h1.lock-broken, h1.unknown { color: var(--doubt); } .lead { margin: 4px 0; font-size: 19px; max-width: 105ch; overflow-wrap: anywhere; }
h2 { margin: 40px 0 2px; font-size: 21px; }
nav { float: right; } nav a { color: var(--c0); }
.bad { color: var(--bad); }
.expected { margin: 0; } header ul { margin: 8px 0 0; padding-left: 22px; overflow-wrap: anywhere; }
.how { margin: 0 0 10px; color: var(--soft); max-width: 105ch; }
.tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(140px, 1fr)); gap: 8px; margin: 24px 0 0; }
.tiles div { background: var(--panel); border-left: 4px solid var(--line); padding: 8px 12px; display: flex; flex-direction: column-reverse; }
.tiles dt { color: var(--soft); font-size: 14px; } .tiles dd { margin: 0; font-size: 22px; font-weight: 650; white-space: nowrap; font-variant-numeric: tabular-nums; line-height: 1.2; }
.tiles .bad { border-color: var(--bad); } .tiles .zero dd { color: var(--soft); font-weight: 400; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 20px; margin: 0 0 6px; padding: 0; list-style: none; font-size: 15px; }
.legend li { display: flex; align-items: center; gap: 7px; } .legend svg { width: 16px; height: 16px; flex: none; }
section > .scroll > svg { display: block; width: 100%; min-width: 760px; height: auto; }
${PLOT_STYLE}
@media (max-width: 900px) { svg text { font-size: 15.5px; } section > .scroll > svg { min-width: 860px; } }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: 15px; margin-top: 8px; }
th, td { text-align: left; padding: 5px 14px 5px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--soft); font-weight: 500; white-space: nowrap; } td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
code { font: 0.92em ui-monospace, "DejaVu Sans Mono", Menlo, monospace; overflow-wrap: anywhere; }
td code { overflow-wrap: break-word; } td code.long { display: inline-block; min-width: 16ch; overflow-wrap: anywhere; }
.conditions { display: grid; grid-template-columns: repeat(auto-fill, minmax(270px, 1fr)); gap: 0 32px; margin: 8px 0 0; font-size: 15px; }
.conditions div { display: flex; justify-content: space-between; gap: 16px; border-bottom: 1px solid var(--line); padding: 4px 0; }
.conditions dt { color: var(--soft); } .conditions dd { margin: 0; text-align: right; overflow-wrap: anywhere; }
/* in the console, which shows the verdict itself */
.embedded nav, .embedded header, .embedded .tiles { display: none; } .embedded main { padding-top: 0; }
`;
