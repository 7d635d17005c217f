//! The style of the page: one set of names, two sets of colours.

pub(super) const CSS: &str = "\
:root { color-scheme: light dark; --back: #ffffff; --text: #1c2126; --faint: #5b6570; --rule: #d5dae0;
  --panel: #f5f7f9; --heat: 214, 84, 0; --cool: #2f6fb0; --cool-text: #ffffff; --clash: #c23b22;
  --clash-text: #ffffff; --idle: #e3e7eb; --even: #eef1f4; --odd: #e2e7ec; }
@media (prefers-color-scheme: dark) { :root { --back: #14181c; --text: #e4e8ec; --faint: #9aa5b0;
  --rule: #333b43; --panel: #1c2228; --heat: 255, 140, 50; --cool: #5ba3e6; --cool-text: #0c1116;
  --clash: #ff8a70; --clash-text: #1a0d0a; --idle: #2b323a; --even: #20262d; --odd: #2a313a; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem; max-width: 96rem; background: var(--back); color: var(--text);
  font: 15px/1.45 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .3rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem;
  border-bottom: 1px solid var(--rule); padding-bottom: .2rem; } h3 { font-size: 1rem; margin: 1.2rem 0 .3rem; }
p { margin: .4rem 0; max-width: 60rem; } .faint { color: var(--faint); }
a { color: var(--cool); }
code, pre, td.rust, td.cuda, td.number { font: 12.5px/1.5 ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; }
h1 code, h3 code { font-size: inherit; }
pre { background: var(--panel); padding: .7rem; overflow-x: auto; border-radius: 4px; margin: .4rem 0; }
.scroll { overflow-x: auto; } figure { margin: .6rem 0 1.2rem; } figcaption { margin-bottom: .2rem; }
table { border-collapse: collapse; } .source { width: 100%; }
th { text-align: left; font-weight: 600; font-size: .8rem; color: var(--faint); padding: .2rem .6rem;
  position: sticky; top: 0; background: var(--back); white-space: nowrap; }
td { padding: 0 .6rem; vertical-align: top; } tr:hover td { background-color: var(--panel); }
td.rust, td.cuda { white-space: pre-wrap; tab-size: 4; } td.rust, td.cuda { min-width: 26rem; }
td.cuda { border-left: 1px solid var(--rule); }
td.number, th.number { text-align: right; white-space: nowrap; } td.at { color: var(--faint); user-select: none; }
.sums td, .sums th { padding: .1rem 1rem .1rem 0; } .sums td.number { text-align: right; }
ul { margin: .3rem 0; padding-left: 1.2rem; max-width: 60rem; } li { margin: .25rem 0; }
details { margin: .6rem 0; } summary { cursor: pointer; color: var(--faint); }
svg { display: block; } svg text { font: 11px system-ui, sans-serif; fill: var(--text); }
svg .tick, svg .label { fill: var(--faint); } svg .tick { font-size: 10px; } svg .strong { font-weight: 600; font-size: 12px; }
svg .cell { font-size: 9px; fill: var(--cool-text); pointer-events: none; } svg .clash + .cell { fill: var(--clash-text); }
svg .free, svg .touch { fill: var(--cool); } svg .clash, svg .limit { fill: var(--clash); } svg .idle { fill: var(--idle); }
svg .even { fill: var(--even); } svg .odd { fill: var(--odd); } svg .gap { stroke: var(--clash); stroke-width: 1; stroke-dasharray: 3 3; }
svg .grid { stroke: var(--rule); stroke-width: 1; } svg .roof { stroke: var(--text); stroke-width: 2; }
svg .drop { stroke: var(--faint); stroke-dasharray: 2 4; } svg .point { fill: var(--clash); }
svg .fainter { fill: var(--cool); } svg .achieved { fill: none; stroke: var(--clash); stroke-width: 2; }
@media print { body { max-width: none; } th { position: static; } }
";
