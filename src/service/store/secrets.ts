// Secrets of keys, links and sessions, which are shown once and kept as a hash. They are fully random, so a plain
// SHA-256 is safe.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

const SECRET_BYTES = 32
const RANDOM_PART = /^[A-Za-z0-9_-]{43}$/

/** `prefix` and 256 random bits as base64url. */
export function makeSecret(prefix: string): string {
  return `${prefix}${randomBytes(SECRET_BYTES).toString('base64url')}`
}

/** Whether a text could be a secret at all; what is not never reaches the database. */
export function looksLikeSecret(text: string, prefix: string): boolean {
  return text.length === prefix.length + 43 && text.startsWith(prefix) && RANDOM_PART.test(text.slice(prefix.length))
}

/** Hex SHA-256. */
export function hashOfSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

/** Compares two hashes in a time that does not depend on where they differ. */
export function isSameHash(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
}

/** `key_…`, `led_…`, `evt_…`: 96 random bits as hex digits. */
export function makeStoreId(prefix: string): string {
  return `${prefix}${randomBytes(12).toString('hex')}`
}
