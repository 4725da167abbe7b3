// Draws the state as it was sent, with what the answers point at: words highlighted, boxes on the pictures.
import { percent } from '../format.ts'
import type { MarkedBox, MarkedText } from './marks.ts'

/** The palette of marks, see playground.css. */
export const COLOURS = 6

export interface StateMarksProps {
  readonly texts: readonly MarkedText[]
  readonly boxes: readonly MarkedBox[]
  /** Pictures that were sent, in order. */
  readonly pictures: readonly { readonly id: string; readonly url: string }[]
  colourOf(label: string): number | null
}

export function StateMarks({ texts, boxes, pictures, colourOf }: StateMarksProps) {
  const marked = pictures.map((picture) => ({
    ...picture,
    boxes: boxes.filter(({ image }) => image === picture.id || (image === null && pictures.length === 1)),
  }))
  return (
    <>
      {texts.map(({ where, segments }) => (
        <div class="marked" key={where}>
          {where === '' ? null : <p class="hint code">{where}</p>}
          <p class="data">
            {segments.map(({ text, labels }, i) =>
              labels.length === 0 ? (
                text
              ) : (
                <mark key={i} class={`colour-${colourOf(labels[0]!)}`} title={labels.join(', ')}>
                  {text}
                  <span class="unseen"> ({labels.join(', ')})</span>
                </mark>
              ),
            )}
          </p>
        </div>
      ))}
      {marked.map(({ id, url, boxes: own }) =>
        own.length === 0 ? null : <MarkedPicture key={id} url={url} id={id} boxes={own} colourOf={colourOf} />,
      )}
    </>
  )
}

interface MarkedPictureProps {
  readonly id: string
  readonly url: string
  readonly boxes: readonly MarkedBox[]
  colourOf(label: string): number | null
}

function MarkedPicture({ id, url, boxes, colourOf }: MarkedPictureProps) {
  const [width, height] = boxes[0]!.size
  // Lines and words keep their size on the page, whatever the size of the picture.
  const unit = Math.max(width, height) / 640
  return (
    <figure class="picture">
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`${id} with ${boxes.map(({ label }) => label).join(', ')}`}>
        <image href={url} width={width} height={height} preserveAspectRatio="none" />
        {boxes.map(({ label, coordinates: [left, top, right, bottom], confidence }) => (
          <g key={`${label} ${left} ${top}`} class={`box colour-${colourOf(label)}`}>
            <title>{`${label}, confidence ${percent(confidence)}`}</title>
            <rect x={left} y={top} width={right - left} height={bottom - top} stroke-width={2 * unit} />
            <text x={left} y={top > 16 * unit ? top - 5 * unit : bottom + 14 * unit} font-size={12 * unit} stroke-width={3.5 * unit}>
              {label}
            </text>
          </g>
        ))}
      </svg>
    </figure>
  )
}
