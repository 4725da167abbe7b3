// A modal dialog: the browser's own, which keeps the focus inside and closes on Escape.
import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'

export interface DialogProps {
  readonly title: string
  /** Called however it closes. */
  readonly onClose: () => void
  readonly children: ComponentChildren
}

export function Dialog({ title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  // Before anything is painted: a key pressed right after the click must find the dialog open.
  useLayoutEffect(() => {
    const dialog = element.current
    if (dialog !== null && !dialog.open) dialog.showModal()
  }, [])
  return (
    <dialog ref={element} aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  )
}
