// The style sheet of a report: light or dark by the reader's setting, no fonts and no scripts from elsewhere.
export const STYLE = `
:root{color-scheme:light dark;--paper:#fff;--ink:#1c2024;--soft:#60646c;--line:#e2e4e9;--panel:#f7f8fa;--accent:#0b68cb;--accent-soft:#0b68cb2e;--quiet:#8b8d9838;
--good:#18794e;--bad:#c62a2f;--bad-soft:#c62a2f22}
@media(prefers-color-scheme:dark){:root{--paper:#111315;--ink:#eceef1;--soft:#a2a7b0;--line:#2c3036;--panel:#1a1d21;--accent:#70b8ff;--accent-soft:#70b8ff3d;--quiet:#b0b4ba38;
--good:#3dd68c;--bad:#ff9592;--bad-soft:#ff959226}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:1120px;margin:0 auto;padding:32px 20px 64px}
h1{font-size:26px;line-height:1.2;margin:0 0 4px}h2{font-size:18px;margin:44px 0 6px}h3{font-size:14px;margin:0 0 2px}
p{margin:4px 0 12px;max-width:78ch}.note,.soft{color:var(--soft)}.note{font-size:13px}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(190px,1fr));gap:12px;margin:22px 0}
.tile{background:var(--panel);border:1px solid var(--line);border-radius:10px;padding:12px 14px}
.tile b{display:block;font-size:24px;line-height:1.25;font-variant-numeric:tabular-nums}.tile span{display:block;font-size:12.5px;color:var(--soft)}
.tile .name{font-size:13px;color:var(--ink)}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:13.5px;font-variant-numeric:tabular-nums}
th,td{padding:5px 8px;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}
th{white-space:normal;font-weight:600;color:var(--soft);font-size:12.5px;vertical-align:bottom}th:first-child,td:first-child{text-align:left;padding-left:0}
td.words,th.words{text-align:left;white-space:normal}
.good{color:var(--good)}.bad{color:var(--bad)}
.charts{display:grid;grid-template-columns:repeat(auto-fill,minmax(300px,1fr));gap:20px 24px;margin-top:14px}
.charts.wide{grid-template-columns:repeat(auto-fill,minmax(min(420px,100%),1fr))}
figure{margin:0}figcaption{font-size:12.5px;color:var(--soft)}
svg.chart{width:100%;height:auto;display:block}
svg text{font:11px system-ui,sans-serif;fill:var(--soft)}svg .axis{fill:var(--ink)}
.grid{stroke:var(--line);stroke-width:1}.line{fill:none;stroke-width:2;stroke-linejoin:round}.band{stroke:none}
.curve{stroke:var(--accent)}.uncertain{fill:var(--accent-soft)}.chance{fill:var(--quiet)}.ideal{stroke:var(--soft);stroke-width:1;stroke-dasharray:4 4}
.other{stroke:var(--soft);stroke-width:1.5}.rug{fill:var(--quiet)}.fill{fill:var(--accent)}
.key{display:inline-block;width:14px;height:10px;border-radius:2px;margin:0 5px 0 12px;vertical-align:-1px}.key:first-child{margin-left:0}
.case{border:1px solid var(--line);border-radius:10px;padding:14px 16px;margin:14px 0;display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:18px}
@media(max-width:760px){.case{grid-template-columns:minmax(0,1fr)}}
.case header{grid-column:1/-1;margin-bottom:-8px;display:flex;flex-wrap:wrap;gap:2px 12px;align-items:baseline}.answer p{margin:0 0 6px}.answer{border-top:1px solid var(--line);padding:8px 0}.answer:first-child{border-top:0;padding-top:0}
pre{font:12.5px/1.5 ui-monospace,SFMono-Regular,Menlo,monospace;white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:isolate;margin:0 0 8px}
pre.state{background:var(--panel);border:1px solid var(--line);border-radius:8px;padding:10px 12px;max-height:340px;overflow:auto}
.data{unicode-bidi:isolate;overflow-wrap:anywhere}
img.picture{max-width:100%;height:auto;border:1px solid var(--line);border-radius:8px;margin-bottom:8px;background:#fff}
.row{display:grid;grid-template-columns:minmax(0,1fr) 110px 58px;gap:8px;align-items:center;font-size:13px}
.meter{height:9px;border-radius:3px;background:var(--quiet);overflow:hidden}.meter i{display:block;height:100%;background:var(--accent)}
.row.true .data::after{content:" ✓ true";color:var(--good);font-weight:600}.row em{font-style:normal;text-align:right;font-variant-numeric:tabular-nums}
dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:4px 18px;font-size:13.5px}dt{grid-column:1;color:var(--soft)}dd{grid-column:2;margin:0;overflow-wrap:anywhere}
code{font:12.5px ui-monospace,SFMono-Regular,Menlo,monospace}
@media print{body{background:#fff}.case,.tile,figure{break-inside:avoid}}
`
