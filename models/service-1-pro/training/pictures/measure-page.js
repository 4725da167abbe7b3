// Runs inside the page: the boxes of the visible words, characters and marked elements, in CSS pixels times `scale`.
// Plain JavaScript, because the project's TypeScript knows no DOM.
globalThis.measurePage = (scale) => {
  const round = (value) => Math.round(value * scale * 10) / 10
  const width = innerWidth
  const height = innerHeight
  const clip = (r) => [Math.max(0, r.left), Math.max(0, r.top), Math.min(width, r.right), Math.min(height, r.bottom)]
  const isSeen = (element, [left, top, right, bottom]) => {
    if (right - left < 2 || bottom - top < 2) return false
    // The middle, then points near the edges: half of them must hit the element or something inside it.
    const points = [
      [0.5, 0.5],
      [0.1, 0.5],
      [0.9, 0.5],
      [0.5, 0.1],
      [0.5, 0.9],
    ]
    const hits = points.filter(([x, y]) => {
      const hit = document.elementFromPoint(left + x * (right - left), top + y * (bottom - top))
      return hit !== null && element.contains(hit)
    })
    return hits.length >= 3
  }

  const words = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const range = document.createRange()
  while (walker.nextNode()) {
    const node = walker.currentNode
    const parent = node.parentElement
    if (parent.closest('style')) continue
    for (const match of node.data.matchAll(/\S+/g)) {
      range.setStart(node, match.index)
      range.setEnd(node, match.index + match[0].length)
      const rects = range.getClientRects()
      if (rects.length !== 1) continue
      const box = rects[0]
      const seen = clip(box)
      if ((seen[2] - seen[0]) * (seen[3] - seen[1]) < 0.7 * box.width * box.height || box.width < 2) continue
      const hit = document.elementFromPoint((seen[0] + seen[2]) / 2, (seen[1] + seen[3]) / 2)
      if (!hit || !(hit.contains(parent) || parent.contains(hit))) continue
      // Hidden by a clipped ancestor: the box of the nearest element that cuts its text must hold the word's middle.
      const cutter = parent.closest('.cut, .input')
      if (cutter) {
        const limit = cutter.getBoundingClientRect()
        if (box.right > limit.right + 1 || box.bottom > limit.bottom + 2) continue
      }
      const edges = []
      for (let i = 0; i < match[0].length; i++) {
        range.setStart(node, match.index + i)
        range.setEnd(node, match.index + i + 1)
        edges.push(round(range.getBoundingClientRect().left))
      }
      edges.push(round(box.right))
      words.push({ text: match[0], box: [box.left, box.top, box.right, box.bottom].map(round), edges })
    }
  }

  const elements = []
  for (const element of document.querySelectorAll('[data-role]')) {
    const rect = element.getBoundingClientRect()
    const seen = clip(rect)
    const isMostlyInside = (seen[2] - seen[0]) * (seen[3] - seen[1]) >= 0.6 * rect.width * rect.height
    if (!isMostlyInside || !isSeen(element, seen)) continue
    const { role, name, flags } = element.dataset
    elements.push({ role, name, flags: flags ? flags.split(' ') : [], box: seen.map(round) })
  }
  return { words, elements }
}
