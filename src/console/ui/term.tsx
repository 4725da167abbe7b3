// A word with a hint: what it means is shown on hover, focus or tap, and read out by screen readers as its description.
import type { ComponentChildren } from 'preact'
import { useId, useRef } from 'preact/hooks'
import { WORDS, type Word } from '../words.ts'

/** Between the word, its hint and the edges of the window, in CSS pixels. */
const GAP = 6

export interface TermProps {
  /** What the word means; plain text. */
  readonly meaning: string
  /** What screen readers call it; default: the children. */
  readonly name?: string
  readonly children: ComponentChildren
}

export function Term({ meaning, name, children }: TermProps) {
  const id = useId()
  const word = useRef<HTMLButtonElement>(null)
  const hint = useRef<HTMLSpanElement>(null)
  const show = () => {
    const [at, tip] = [word.current, hint.current]
    if (at === null || tip === null || tip.matches(':popover-open')) return
    tip.showPopover()
    // The hint stands in the top layer, which no scrolling area cuts off; there it is placed by hand. Its size is read
    // where nothing is in its way.
    tip.style.left = '0'
    const { left, top, bottom } = at.getBoundingClientRect()
    const { offsetWidth: width, offsetHeight: height } = tip
    const below = bottom + GAP + height <= innerHeight || top < height + GAP
    tip.style.left = `${Math.max(GAP, Math.min(left, innerWidth - width - GAP))}px`
    tip.style.top = `${below ? bottom + GAP : top - GAP - height}px`
  }
  const hide = () => {
    if (hint.current?.matches(':popover-open')) hint.current.hidePopover()
  }
  return (
    <>
      <button
        type="button"
        class="term"
        ref={word}
        aria-label={name}
        aria-describedby={id}
        onClick={show}
        onFocus={show}
        onBlur={hide}
        onPointerEnter={(event) => event.pointerType === 'mouse' && show()}
        onPointerLeave={(event) => event.pointerType === 'mouse' && hide()}
      >
        {children}
      </button>
      <span popover="auto" role="tooltip" class="hint-text" id={id} ref={hint}>
        {meaning}
      </span>
    </>
  )
}

/** One of the console's own words. `children`: the word as it stands here, where it differs. */
export function Explained({ word, children = word }: { readonly word: Word; readonly children?: ComponentChildren }) {
  return <Term meaning={WORDS[word]}>{children}</Term>
}
