// A picture that can be pointed at: boxes of answers drawn on it, and the pixels, as sent, under a pointer or keys.
import { useRef, useState } from 'preact/hooks'
import type { Point } from '../../wire/types.ts'
import { percent } from '../format.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import type { MarkedBox } from './marks.ts'
import { boxAround, coordinatesText, draggedTo, type Pointed, pixelAt, placed, steppedTo } from './pixels.ts'

/** Pictures are drawn at most this high, in CSS pixels. */
const TALLEST = 560

export interface PictureProps {
  readonly id: string
  readonly url: string
  readonly boxes: readonly MarkedBox[]
  colourOf(label: string): number | null
}

export function Picture({ id, url, boxes, colourOf }: PictureProps) {
  // Answers say the size. Without one it is how large the browser lays the picture out, not turned by the camera's
  // note: its `naturalWidth` is turned in any case.
  const [read, setRead] = useState<Point | null>(null)
  const [isBroken, setBroken] = useState(false)
  const size = boxes[0]?.size ?? read
  const [pointed, setPointed] = useState<Pointed | null>(null)
  const [under, setUnder] = useState<Point | null>(null)
  const from = useRef<Point | null>(null)
  const surface = useRef<HTMLDivElement>(null)

  const pixelOf = (event: PointerEvent) => pixelAt(event.clientX, event.clientY, surface.current!.getBoundingClientRect(), size!)
  const onPointerDown = (event: PointerEvent) => {
    if (size === null || event.button !== 0) return
    from.current = pixelOf(event)
    // A finger scrolls; only a mouse or a pen drags a box, also when it leaves the picture.
    if (event.pointerType !== 'touch') surface.current?.setPointerCapture(event.pointerId)
  }
  const onPointerMove = (event: PointerEvent) => {
    if (size === null || event.pointerType === 'touch') return
    const at = pixelOf(event)
    setUnder(at)
    if (from.current !== null) setPointed(draggedTo(from.current, at, surface.current!.getBoundingClientRect(), size))
  }
  const onPointerUp = (event: PointerEvent) => {
    if (size === null || from.current === null) return
    setPointed(draggedTo(from.current, pixelOf(event), surface.current!.getBoundingClientRect(), size))
    from.current = null
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (size === null) return
    const last: Point = pointed === null ? [size[0] >> 1, size[1] >> 1] : pointed.type === 'point' ? pointed.at : pointed.to
    const next = steppedTo(event.key, event.shiftKey, last, size)
    if (next === null) {
      if (event.key === 'Escape') setPointed(null)
      return
    }
    event.preventDefault()
    setPointed({ type: 'point', at: next })
  }

  return (
    <figure class="picture">
      <div
        class="surface"
        ref={surface}
        role="application"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys move a point on it
        tabIndex={0}
        aria-label={`${nameOf(id, boxes)}. Arrow keys move a point over its pixels, with Shift by ten.`}
        style={shapeOf(size)}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onPointerCancel={() => {
          from.current = null
        }}
        onPointerLeave={() => setUnder(null)}
        onKeyDown={onKeyDown}
      >
        {isBroken ? (
          <p class="nothing">This browser cannot show this picture.</p>
        ) : (
          <img
            src={url}
            alt={id}
            class={size === null ? 'unsized' : undefined}
            draggable={false}
            onLoad={({ currentTarget: { offsetWidth, offsetHeight } }) => setRead((before) => before ?? [offsetWidth, offsetHeight])}
            onError={() => setBroken(true)}
          />
        )}
        {size === null ? null : <Drawn size={size} boxes={boxes} pointed={pointed} colourOf={colourOf} />}
      </div>
      {size === null ? null : (
        <figcaption class="pointed">
          {pointed === null ? (
            <span>Click the picture for a pixel, drag for a box.</span>
          ) : (
            <>
              <code data-copied aria-live="polite">
                {coordinatesText(pointed)}
              </code>
              <CopyButton text={coordinatesText(pointed)} />
            </>
          )}
          <span class="under">{under === null ? `${size[0]} × ${size[1]} pixels` : `x ${under[0]}, y ${under[1]}`}</span>
        </figcaption>
      )}
    </figure>
  )
}

function nameOf(id: string, boxes: readonly MarkedBox[]): string {
  return boxes.length === 0 ? id : `${id} with ${boxes.map(({ label }) => label).join(', ')}`
}

/** The element has the shape of the picture exactly, so that shares of one are shares of the other. */
function shapeOf(size: Point | null): Readonly<Record<string, string>> {
  return size === null ? {} : { aspectRatio: `${size[0]} / ${size[1]}`, maxWidth: `${Math.round((TALLEST * size[0]) / size[1])}px` }
}

interface DrawnProps extends Pick<PictureProps, 'boxes' | 'colourOf'> {
  readonly size: Point
  readonly pointed: Pointed | null
}

function Drawn({ size, boxes, pointed, colourOf }: DrawnProps) {
  const [width, height] = size
  return (
    <>
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
        {boxes.map(({ label, coordinates: [left, top, right, bottom], confidence }) => (
          <g key={`${label} ${left} ${top}`} class={`box colour-${colourOf(label)}`}>
            <title>{`${label}, confidence ${percent(confidence)}`}</title>
            <rect x={left} y={top} width={right - left} height={bottom - top} />
          </g>
        ))}
        {pointed === null ? null : <Mark pointed={pointed} size={size} />}
      </svg>
      {boxes.map(({ label, coordinates }) => {
        const { left, top } = placed(coordinates, size)
        const isHigh = coordinates[1] / height < 0.08
        const isRight = coordinates[0] / width > 0.6
        const from = isRight ? { right: placed([coordinates[2], 0, width, 0], size).width } : { left }
        const at = isHigh
          ? { top: placed([0, 0, 0, coordinates[3]], size).height }
          : { bottom: placed([0, coordinates[1], 0, height], size).height }
        return (
          <span key={`${label} ${left} ${top}`} class={`box-name colour-${colourOf(label)}`} style={{ ...from, ...at }}>
            {label}
          </span>
        )
      })}
    </>
  )
}

function Mark({ pointed, size: [width, height] }: { readonly pointed: Pointed; readonly size: Point }) {
  if (pointed.type === 'box') {
    const [left, top, right, bottom] = boxAround(pointed.from, pointed.to)
    return <rect class="aim" x={left} y={top} width={right - left} height={bottom - top} />
  }
  const [x, y] = [pointed.at[0] + 0.5, pointed.at[1] + 0.5]
  return (
    <g class="aim">
      <line x1={x} x2={x} y1={0} y2={height} />
      <line x1={0} x2={width} y1={y} y2={y} />
    </g>
  )
}
