// A button that copies a text. Where the page may not use the clipboard (plain http on another host), it selects the
// text instead.
import { useRef, useState } from 'preact/hooks'

export function CopyButton({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const [said, setSaid] = useState<string | null>(null)
  const button = useRef<HTMLButtonElement>(null)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setSaid('Copied')
    } catch {
      const shown = button.current?.parentElement?.querySelector('[data-copied]')
      if (shown) getSelection()?.selectAllChildren(shown)
      setSaid('Press Ctrl+C')
    }
    setTimeout(() => setSaid(null), 2500)
  }
  return (
    <button type="button" ref={button} onClick={copy}>
      <span aria-live="polite">{said ?? label}</span>
    </button>
  )
}
