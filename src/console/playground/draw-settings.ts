// Draws the picture of an example in the browser, so that the page needs no file for it.

/** A settings page of a shop, 960 by 600. */
export function drawSettings(): Promise<Blob> {
  const canvas = document.createElement('canvas')
  canvas.width = 960
  canvas.height = 600
  const pen = canvas.getContext('2d')!
  const box = (colour: string, x: number, y: number, width: number, height: number) => {
    pen.fillStyle = colour
    pen.fillRect(x, y, width, height)
  }
  const text = (words: string, x: number, y: number, font: string, colour = '#222') => {
    pen.font = `${font} sans-serif`
    pen.fillStyle = colour
    pen.fillText(words, x, y)
  }
  box('#f5f6f8', 0, 0, 960, 600)
  box('#1f3a5f', 0, 0, 960, 64)
  text('Lamp Shop', 32, 41, 'bold 24px', '#fff')
  text('Home     Orders     Settings', 640, 40, '18px', '#dfe8f2')
  text('Settings', 64, 132, 'bold 32px')
  for (const [i, [label, value]] of [
    ['Name', 'Ada Lovelace'],
    ['E-mail', 'ada@example.com'],
    ['Language', 'English'],
  ].entries()) {
    text(label!, 64, 190 + i * 90, '16px', '#555')
    box('#c5ccd6', 64, 202 + i * 90, 480, 44)
    box('#fff', 65, 203 + i * 90, 478, 42)
    text(value!, 80, 230 + i * 90, '18px')
  }
  box('#1668c7', 64, 480, 140, 48)
  text('Save', 112, 511, 'bold 20px', '#fff')
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob === null ? reject(new Error('The picture could not be drawn.')) : resolve(blob))),
  )
}
