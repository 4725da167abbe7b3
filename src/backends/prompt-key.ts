// A prompt to a cache key: a hash of all that a model reads of it.
import { createHash } from 'node:crypto'
import type { Piece } from '../core/types.ts'

/**
 * Prompts with the same key are the same state. `content` covers texts, pixels and times of frames, so that states
 * share a cache entry whatever their images are called. `content and sources` also covers image ids and where each text
 * stands in the caller's state, for answers that name those.
 */
export function promptKey(pieces: readonly Piece[], covers: 'content' | 'content and sources'): string {
  const hasSources = covers === 'content and sources'
  const read = pieces.map((piece) => {
    if (piece.type === 'text') return ['text', piece.text, hasSources ? piece.source : null]
    const { sha256, width, height } = piece.picture
    const timeMs = piece.frame === undefined ? [] : [piece.frame.timeMs]
    return ['image', sha256, width, height, hasSources ? piece.id : null, ...timeMs]
  })
  return createHash('sha256').update(JSON.stringify(read)).digest('hex')
}
