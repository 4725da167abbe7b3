/**
 * A random look for a page: colours, font and spacing, as a style sheet over the class names that elements.ts writes.
 */
import type { Random } from './random.ts'

export interface Theme {
  readonly isDark: boolean
  /** The name of the main colour, as a question would say it. */
  readonly primaryName: string
  readonly css: string
}

const PRIMARIES: Readonly<Record<string, readonly string[]>> = {
  blue: ['#2563eb', '#1a73e8', '#3b82f6', '#0d6efd', '#1d4ed8'],
  green: ['#16a34a', '#15803d', '#22a95b', '#2e7d32'],
  red: ['#dc2626', '#c62828', '#e53935'],
  purple: ['#7c3aed', '#6d28d9', '#8e24aa'],
  orange: ['#ea580c', '#f57c00', '#ff7a1a'],
  teal: ['#0d9488', '#00897b', '#0f9fa8'],
  pink: ['#db2777', '#e91e63', '#ec4899'],
  black: ['#111111', '#1f1f23'],
}

const FONTS = [
  'Open Sans',
  'Roboto',
  'Lato',
  'Inter',
  'Cantarell',
  'Noto Sans',
  'DejaVu Sans',
  'Liberation Sans',
  'Liberation Sans',
  'Carlito',
  'FreeSans',
  'Noto Serif',
  'Liberation Serif',
  'DejaVu Serif',
  'Comic Neue',
  'Quicksand',
  'Fira Code',
  'Liberation Mono',
  'Liberation Sans Narrow',
]

/** `width`: of the view, in CSS pixels; wide pages sometimes get larger type. */
export function drawTheme(random: Random, width: number): Theme {
  const isDark = random.chance(0.25)
  const primaryName = random.pick(Object.keys(PRIMARIES).filter((name) => !isDark || name !== 'black'))
  const primary = random.pick(PRIMARIES[primaryName]!)
  const hue = random.int(0, 359)
  const tint = random.chance(0.5) ? 0 : random.int(5, 25)
  const shade = (lightness: number) => `hsl(${hue} ${tint}% ${lightness}%)`
  const background = isDark ? shade(random.int(6, 14)) : random.chance(0.35) ? '#fff' : shade(random.int(90, 98))
  const surface = isDark ? shade(random.int(15, 22)) : random.chance(0.8) ? '#fff' : shade(97)
  const text = isDark ? shade(random.int(85, 97)) : shade(random.int(5, 22))
  const muted = isDark ? shade(65) : shade(random.int(38, 52))
  const border = isDark ? shade(random.int(28, 40)) : shade(random.int(70, 88))
  const size = width < 600 ? random.int(12, 15) : random.int(12, width > 900 && random.chance(0.5) ? 24 : 18)
  const radius = random.pick([0, 2, 4, 6, 8, 12])
  const pill = random.chance(0.15) ? '999px' : `${radius}px`
  const gap = random.int(6, 14)
  const hasShadow = random.chance(0.5)
  const isUpper = random.chance(0.1)
  const outline = random.chance(0.5)
  const heading = random.pick(['inherit', 'inherit', `'${random.pick(FONTS)}'`])
  const css = `
*{box-sizing:border-box} body{margin:0;background:${background};color:${text};font:${size}px/${random.pick([1.25, 1.35, 1.5])} '${random.pick(FONTS)}',sans-serif;overflow:hidden;height:100vh;accent-color:${random.chance(0.7) ? primary : '#0b57d0'}}
h1,h2,h3{margin:0;font-family:${heading};font-weight:${random.pick([500, 600, 700])};line-height:1.2;width:fit-content} h1{font-size:${random.pick([1.5, 1.7, 2])}em} h2{font-size:1.25em} h3{font-size:1.05em} p{margin:0;width:fit-content}
.page{padding:${random.int(8, 24)}px;display:flex;flex-direction:column;gap:${gap + 4}px} .row{display:flex;gap:${gap}px;align-items:center;flex-wrap:wrap} .col{display:flex;flex-direction:column;gap:${gap}px}
.between{justify-content:space-between}.end{justify-content:flex-end}.middle{justify-content:center}.grow{flex:1}.wide{width:100%}.muted{color:${muted}}.small{font-size:.85em}
.card{background:${surface};border:1px solid ${hasShadow && random.chance(0.5) ? 'transparent' : border};border-radius:${radius}px;padding:${random.int(8, 20)}px;${hasShadow ? 'box-shadow:0 1px 5px #0003;' : ''}}
.bar{background:${random.chance(0.3) ? primary : surface};border-bottom:1px solid ${border};padding:${random.int(5, 12)}px ${random.int(8, 20)}px}
.bar.tinted{background:${primary};color:#fff}
.button{display:inline-flex;align-items:center;justify-content:center;gap:.4em;font:inherit;padding:${random.int(3, 9)}px ${random.int(9, 20)}px;border-radius:${pill};border:1px solid ${border};background:${isDark ? shade(26) : outline ? '#fff' : shade(92)};color:${text};white-space:nowrap;${isUpper ? 'text-transform:uppercase;' : ''}${random.chance(0.4) ? 'font-weight:600;' : ''}}
.button.primary{background:${primary};border-color:${primary};color:#fff} .button.danger{background:#d32f2f;border-color:#d32f2f;color:#fff} .button.ghost{background:transparent;border-color:transparent;color:${primaryName === 'black' ? text : primary}}
.button.disabled{opacity:.45}
.field{display:flex;flex-direction:column;gap:3px} .field.inline{flex-direction:row;align-items:center;gap:${gap}px} .field.inline>.label{width:8.5em}
.label{${random.chance(0.4) ? 'font-weight:600;' : ''}${random.chance(0.3) ? `color:${muted};` : ''}font-size:${random.pick([0.85, 0.92, 1])}em}
.input{display:flex;align-items:center;gap:.4em;min-height:${random.pick([26, 30, 34, 38])}px;padding:3px 9px;border:1px solid ${border};border-radius:${radius}px;background:${isDark ? shade(12) : '#fff'};min-width:6em;white-space:nowrap;overflow:hidden;${random.chance(0.12) ? 'border-width:0 0 2px 0;border-radius:0;' : ''}}
.input.error{border-color:#d32f2f;${random.chance(0.4) ? `background:${isDark ? '#3a1518' : '#fdecea'};` : ''}} .input.focused{border-color:${primary};outline:2px solid ${primary}66} .input.disabled{opacity:.5;background:${isDark ? shade(24) : shade(90)}} .input.area{min-height:4.5em;align-items:flex-start}
.placeholder{color:${isDark ? shade(50) : shade(62)}}
.error-text{width:fit-content;color:${isDark ? '#ff8a80' : '#c62828'};font-size:.88em;display:flex;gap:.35em;align-items:center}
.banner{padding:${random.int(6, 12)}px;border-radius:${radius}px;display:flex;gap:.5em;align-items:center;border:1px solid transparent}
.banner.error{background:${isDark ? '#4a1b1f' : '#fde7e9'};color:${isDark ? '#ffb4ab' : '#9f1c1c'};border-color:#d32f2f66} .banner.success{background:${isDark ? '#143a22' : '#e3f6e8'};color:${isDark ? '#9be7b0' : '#1b6b34'};border-color:#2e7d3266} .banner.info{background:${isDark ? '#122c4a' : '#e5f0fd'};color:${isDark ? '#a8cdfb' : '#174ea6'};border-color:#1a73e866} .banner.warning{background:${isDark ? '#463408' : '#fff4d6'};color:${isDark ? '#ffdf8a' : '#7a5200'};border-color:#f9a82566} .banner.solid.error{background:#d32f2f;color:#fff} .banner.solid.success{background:#2e7d32;color:#fff}
.option{display:inline-flex;align-items:center;gap:.5em} .option.disabled{opacity:.5} .option input{margin:0;width:${random.pick([13, 14, 16, 18])}px;height:${random.pick([13, 14, 16, 18])}px}
.box{width:16px;height:16px;border:1.5px solid ${muted};border-radius:${random.pick([2, 3, 4])}px;display:inline-flex;align-items:center;justify-content:center;color:#fff;flex:none} .box.checked{background:${primary};border-color:${primary}} .dot{width:16px;height:16px;border-radius:50%;border:1.5px solid ${muted};flex:none} .dot.checked{border:5px solid ${primary}}
.toggle{width:34px;height:18px;border-radius:9px;background:${isDark ? shade(38) : shade(75)};position:relative;flex:none} .toggle::after{content:'';position:absolute;left:2px;top:2px;width:14px;height:14px;border-radius:50%;background:#fff} .toggle.checked{background:${random.chance(0.6) ? primary : '#34a853'}} .toggle.checked::after{left:18px}
.tab{padding:${random.int(4, 9)}px ${random.int(7, 14)}px;white-space:nowrap;display:inline-flex;gap:.4em;align-items:center;border-bottom:2px solid transparent;color:${muted}} .tinted .tab{color:#ffffffcc}
${random.pick([
  `.tab.selected{color:${primary};border-bottom-color:${primary};font-weight:600}`,
  `.tab.selected{background:${primary};color:#fff;border-radius:${radius}px}`,
  `.tab.selected{color:${text};border-bottom-color:${text};font-weight:700}`,
  `.tab.selected{background:${isDark ? shade(32) : shade(84)};color:${text};border-radius:${radius}px}`,
])} .tinted .tab.selected{color:#fff;border-bottom-color:#fff;background:#ffffff30}
.side{width:${random.int(110, 170)}px;flex:none;border-right:1px solid ${border};background:${surface};padding:8px;display:flex;flex-direction:column;gap:2px} .bottom{position:absolute;left:0;right:0;bottom:0;display:flex;justify-content:space-around;background:${surface};border-top:1px solid ${border};padding:4px}
.link{color:${isDark ? '#8ab4f8' : random.pick(['#1a0dab', '#0b57d0', primary])};text-decoration:${random.chance(0.5) ? 'underline' : 'none'}} .bar.tinted .link{color:#fff}
table{border-collapse:collapse;width:100%} th{text-align:left;${random.chance(0.5) ? `background:${isDark ? shade(24) : shade(93)};` : ''}} th,td{padding:${random.int(3, 9)}px ${random.int(5, 12)}px;border-bottom:1px solid ${border};white-space:nowrap} ${random.chance(0.3) ? `tr:nth-child(even) td{background:${isDark ? '#ffffff0a' : '#00000008'}}` : ''} tr.selected td{background:${primary}2a}
.badge{display:inline-block;align-self:flex-start;padding:0 .55em;border-radius:999px;font-size:.82em;background:${isDark ? shade(32) : shade(86)};color:${text}} .badge.green{background:#2e7d32;color:#fff}.badge.red{background:#d32f2f;color:#fff}.badge.orange{background:#ef8f00;color:#111}.badge.blue{background:#1a73e8;color:#fff}
.backdrop{position:absolute;inset:0;background:rgba(0,0,0,${random.pick([0.25, 0.4, 0.55])});pointer-events:none} .dialog{position:absolute;left:50%;top:${random.int(42, 54)}%;transform:translate(-50%,-50%);background:${surface};border:1px solid ${border};border-radius:${radius}px;padding:${random.int(12, 24)}px;box-shadow:0 8px 28px #0006;width:max-content;max-width:92%;min-width:230px;display:flex;flex-direction:column;gap:${gap}px}
.item{padding:${random.int(5, 10)}px;border-bottom:1px solid ${border};display:flex;gap:${gap}px;align-items:center} .item.selected{background:${primary}26} .item.unread{font-weight:700} .cut{overflow:hidden;text-overflow:clip;white-space:nowrap;min-width:0}
.avatar{width:30px;height:30px;border-radius:50%;display:inline-flex;align-items:center;justify-content:center;color:#fff;flex:none;font-size:.85em} .bubble{padding:6px 11px;border-radius:${radius + 6}px;max-width:72%;width:max-content;background:${isDark ? shade(26) : shade(88)}} .bubble.mine{background:${primary};color:#fff;align-self:flex-end}
.picture{display:block;border-radius:${radius}px} .grid{display:grid;gap:${gap}px} .paper{background:#fff;color:#151515;padding:16px;width:${random.int(260, 340)}px;margin:0 auto;box-shadow:0 1px 6px #0004;font-family:${random.pick(["'Liberation Mono'", "'Fira Code'", "'DejaVu Sans Mono'", 'inherit', "'Liberation Sans'"])}}
.metric{font-size:1.7em;font-weight:700}.track{height:9px;background:${border};border-radius:5px;overflow:hidden}.fill{height:100%;background:${primary}} svg.icon{width:1.25em;height:1.25em;flex:none;fill:none;stroke:currentColor;stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
`
  return { isDark, primaryName, css }
}
