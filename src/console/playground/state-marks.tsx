// Draws the state as it was sent, with what the answers point at: words highlighted, boxes on the pictures.
import type { MarkedBox, MarkedText } from './marks.ts'
import { Picture } from './picture.tsx'

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
        own.length === 0 ? null : <Picture key={id} url={url} id={id} boxes={own} colourOf={colourOf} />,
      )}
    </>
  )
}
