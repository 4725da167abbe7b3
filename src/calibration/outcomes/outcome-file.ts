// An outcome store in a folder: events-000001.jsonl and so on are appended to, outcomes.jsonl holds labels,
// evidence.jsonl the labelled events of deleted segments. The order of writes makes it crash-safe: evidence is written
// before its segment is deleted, and labels go last. Of two lines of one event, the later one counts.
import { type FileHandle, open, readdir, truncate, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { EngineError } from '../../core/errors.ts'
import { sum } from '../../core/math.ts'
import { serial } from '../../core/serial.ts'
import type { RecordedEvidence } from '../evidence/evidence.ts'
import { lockFolder, readIfThere, systemCode, writeWhole } from './atomic-file.ts'
import { completeLines, eventLine, labelLine, labelledLine, openingOf, parseEvent, parseLabels } from './outcome-lines.ts'
import { evidenceOf, keptEvent, type LabelledEvent, type Labels, type OutcomeStore, type StoredEvent } from './outcomes.ts'

export interface FileOutcomeOptions {
  /**
   * About how many bytes the folder may take; default 256 MiB. Beyond, the oldest events without a label are deleted;
   * labelled ones may take half of it.
   */
  readonly maxBytes?: number
  /** Whether features are kept for learned heads; default false. */
  readonly keepsFeatures?: boolean
  /**
   * Reads beside a process that writes: takes no lock, changes nothing, and sees what was there when it opened. Default
   * false.
   */
  readonly isReadOnly?: boolean
}

/** The position of an event's line, in bytes. */
interface LinePosition {
  readonly file: string
  readonly offset: number
  readonly length: number
  readonly at: number
}

const EVIDENCE = 'evidence.jsonl'
const OUTCOMES = 'outcomes.jsonl'
const SEGMENT = /^events-(\d{6,})\.jsonl$/
const MEBI = 2 ** 20

/**
 * Opens the store in a folder, which is made when missing. The index and the labels are read into memory, some 200
 * bytes an event. Throws `overloaded` while another process writes to it, and `invalid_request` when the folder cannot
 * be used.
 */
export async function fileOutcomeStore(folder: string, options: FileOutcomeOptions = {}): Promise<OutcomeStore> {
  const { maxBytes = 256 * MEBI, keepsFeatures = false, isReadOnly = false } = options
  if (!(maxBytes >= 16_384)) {
    throw new EngineError('invalid_request', `An outcome store needs maxBytes of at least 16384, received ${maxBytes}.`)
  }
  let unlock: (() => Promise<void>) | null = null
  try {
    if (!isReadOnly) unlock = await lockFolder(folder)
    const store = new FileOutcomeStore(folder, { maxBytes, keepsFeatures, unlock })
    await store.load()
    return store
  } catch (error) {
    await unlock?.()
    if (error instanceof EngineError) throw error
    const message = `The outcome store cannot be opened (${systemCode(error)}); give a folder that this process may read and write.`
    throw new EngineError('invalid_request', message, { cause: error })
  }
}

interface FileStoreSettings {
  readonly maxBytes: number
  readonly keepsFeatures: boolean
  /** Null for a store that only reads. */
  readonly unlock: (() => Promise<void>) | null
}

class FileOutcomeStore implements OutcomeStore {
  readonly retention: string
  readonly #folder: string
  readonly #settings: FileStoreSettings
  readonly #segmentBytes: number
  /** Bytes of each file. */
  readonly #sizes = new Map<string, number>()
  readonly #positions = new Map<string, LinePosition>()
  readonly #labels = new Map<string, Labels>()
  /** Labelled events whose labels are in outcomes.jsonl, not with the event. */
  readonly #separateLabels = new Set<string>()
  /** Events since the last write. */
  #pending = new Map<string, StoredEvent>()
  #flushing: Promise<void> | null = null
  #segment = 1
  #outcomesAfterRewrite = 0
  /** Work that changes files. */
  readonly #enqueue = serial()
  readonly #readers = new Map<string, FileHandle>()
  #isClosed = false

  constructor(folder: string, settings: FileStoreSettings) {
    this.#folder = folder
    this.#settings = settings
    this.#segmentBytes = Math.min(8 * MEBI, settings.maxBytes / 8)
    this.retention = `until the folder is larger than ${Math.round((settings.maxBytes / MEBI) * 100) / 100} MiB`
  }

  /**
   * Reads the folder, segments first and evidence last: a segment that its writer deletes meanwhile has left its
   * labelled events there.
   */
  async load(): Promise<void> {
    const names = await readdir(this.#folder)
    const segments = names.filter((name) => SEGMENT.test(name)).sort((a, b) => numberOf(a) - numberOf(b))
    for (const file of segments) {
      for (const { text, ...place } of completeLines(await this.#whole(file))) {
        const opening = openingOf(text)
        if (opening !== null) this.#positions.set(opening.id, { file, ...place, at: opening.at })
      }
    }
    this.#segment = Math.max(1, ...segments.map(numberOf))
    const separate = [...completeLines(await this.#whole(OUTCOMES))].flatMap(({ text }) => parseLabels(text) ?? [])
    for (const { text, ...place } of completeLines(await this.#whole(EVIDENCE))) {
      const found = parseEvent(text)
      if (found === null) continue
      this.#positions.set(found.event.id, { file: EVIDENCE, ...place, at: found.event.at })
      this.#labels.set(found.event.id, found.labels)
    }
    for (const { id, labels } of separate) if (this.#positions.has(id)) this.#merge(id, labels)
  }

  async #whole(file: string): Promise<Buffer> {
    const bytes = await readIfThere(join(this.#folder, file))
    if (bytes === null) return Buffer.alloc(0)
    // A line without its newline was cut off by a crash; what is appended must not continue it.
    const size = bytes.lastIndexOf(10) + 1
    if (size < bytes.length && this.#settings.unlock !== null) await truncate(join(this.#folder, file), size)
    this.#sizes.set(file, size)
    return bytes
  }

  #merge(id: string, labels: Labels): void {
    this.#labels.set(id, { ...this.#labels.get(id), ...labels })
    this.#separateLabels.add(id)
  }

  event(event: StoredEvent): Promise<void> {
    const refusal = this.#refusal()
    if (refusal !== null) return Promise.reject(refusal)
    if (this.#positions.has(event.id) || this.#pending.has(event.id)) return Promise.resolve()
    this.#pending.set(event.id, keptEvent(event, this.#settings.keepsFeatures))
    this.#flushing ??= new Promise((resolve, reject) => {
      setImmediate(() => {
        this.#flushing = null
        this.#enqueue(() => this.#flush()).then(resolve, reject)
      })
    })
    return this.#flushing
  }

  async find(id: string): Promise<LabelledEvent | null> {
    const pending = this.#pending.get(id)
    if (pending !== undefined) return { event: pending, labels: {} }
    if (this.#isClosed) throw closed()
    return this.#enqueue(() => this.#read(id))
  }

  outcome(id: string, labels: Labels): Promise<boolean> {
    const refusal = this.#refusal()
    if (refusal !== null) return Promise.reject(refusal)
    return this.#enqueue(async () => {
      await this.#flush()
      if (!this.#positions.has(id)) return false
      const known: Labels = this.#labels.get(id) ?? {}
      const isNew = Object.entries(labels).some(([name, label]) => !Object.hasOwn(known, name) || !isSame(known[name], label))
      if (!isNew) return true
      await this.#append(OUTCOMES, labelLine({ id, labels }), true)
      this.#merge(id, labels)
      const size = this.#sizes.get(OUTCOMES) ?? 0
      if (size > this.#segmentBytes && size > 2 * this.#outcomesAfterRewrite) await this.#rewriteOutcomes()
      return true
    })
  }

  async *evidence(): AsyncGenerator<RecordedEvidence> {
    const labelled = [...this.#labels.keys()].sort((a, b) => this.#timeOf(a) - this.#timeOf(b))
    for (const id of labelled) {
      const found = await this.find(id)
      if (found !== null) yield* evidenceOf(found)
    }
  }

  async *recent(count: number): AsyncGenerator<StoredEvent> {
    await this.#enqueue(() => this.#flush())
    const newest = [...this.#positions].sort(([, a], [, b]) => b.at - a.at).slice(0, count)
    for (const [id] of newest) {
      const found = await this.find(id)
      if (found !== null) yield found.event
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    try {
      await this.#enqueue(() => this.#flush())
    } finally {
      this.#isClosed = true
      for (const reader of this.#readers.values()) await reader.close()
      this.#readers.clear()
      await this.#settings.unlock?.()
    }
  }

  #refusal(): EngineError | null {
    if (this.#isClosed) return closed()
    if (this.#settings.unlock !== null) return null
    return new EngineError('invalid_request', 'The outcome store was opened to be read only; open it without isReadOnly to write.')
  }

  #timeOf(id: string): number {
    return this.#positions.get(id)?.at ?? 0
  }

  async #read(id: string): Promise<LabelledEvent | null> {
    const place = this.#positions.get(id)
    if (place === undefined || this.#isClosed) return null
    try {
      const reader = this.#readers.get(place.file) ?? (await open(join(this.#folder, place.file), 'r'))
      this.#readers.set(place.file, reader)
      const { buffer } = await reader.read(Buffer.alloc(place.length), 0, place.length, place.offset)
      const found = parseEvent(buffer.toString('utf8'))
      return found?.event.id === id ? { event: found.event, labels: this.#labels.get(id) ?? {} } : null
    } catch (error) {
      // Beside a writer, a segment may have been deleted.
      if (systemCode(error) === 'ENOENT') return null
      throw error
    }
  }

  /** Writes pending events with one write, then deletes segments if needed. */
  async #flush(): Promise<void> {
    const events = [...this.#pending.values()]
    if (events.length === 0) return
    this.#pending = new Map()
    let file = segmentName(this.#segment)
    if ((this.#sizes.get(file) ?? 0) >= this.#segmentBytes) file = segmentName(++this.#segment)
    const offset = this.#sizes.get(file) ?? 0
    const lines = events.map(eventLine)
    await this.#append(file, lines.join(''), false)
    this.#index(events, file, lines, offset)
    await this.#makeRoom()
  }

  /** Appends whole lines. A failed write leaves the file as it was. `isPrecious`: synced to disk at once. */
  async #append(file: string, text: string, isPrecious: boolean): Promise<void> {
    const path = join(this.#folder, file)
    const size = this.#sizes.get(file) ?? 0
    try {
      const handle = await open(path, 'a')
      try {
        await handle.writeFile(text)
        if (isPrecious) await handle.datasync()
      } finally {
        await handle.close()
      }
      this.#sizes.set(file, size + Buffer.byteLength(text))
    } catch (error) {
      await truncate(path, size).catch(() => {})
      const message = `The outcome store cannot write (${systemCode(error)}); see to the space and the rights of its folder.`
      throw new EngineError('internal_error', message, { cause: error })
    }
  }

  /** Deletes the oldest segments while the folder is too large. */
  async #makeRoom(): Promise<void> {
    const total = (): number => sum([...this.#sizes.values()])
    while (total() > this.#settings.maxBytes) {
      const oldest = [...this.#sizes.keys()].filter((name) => SEGMENT.test(name)).sort((a, b) => numberOf(a) - numberOf(b))[0]
      // Only labelled events and the current segment are left.
      if (oldest === undefined || numberOf(oldest) === this.#segment) return
      await this.#moveEvidence(oldest)
      await this.#closeReader(oldest)
      await unlink(join(this.#folder, oldest))
      this.#sizes.delete(oldest)
      await this.#rewriteOutcomes()
      if ((this.#sizes.get(EVIDENCE) ?? 0) > this.#settings.maxBytes / 2) await this.#shortenEvidence()
    }
  }

  /** Appends the labelled events of a segment, and events of evidence.jsonl with newer labels, to evidence.jsonl. */
  async #moveEvidence(segment: string): Promise<void> {
    const moved: LabelledEvent[] = []
    for (const [id, { file }] of [...this.#positions]) {
      if (file === segment ? this.#labels.has(id) : file === EVIDENCE && this.#separateLabels.has(id)) {
        const found = await this.#read(id)
        if (found !== null) moved.push(found)
      }
    }
    if (moved.length > 0) await this.#appendEvidence(moved)
    for (const [id, { file }] of [...this.#positions]) {
      if (file === segment) this.#forget(id)
    }
  }

  async #appendEvidence(moved: readonly LabelledEvent[]): Promise<void> {
    const lines = moved.map(labelledLine)
    const offset = this.#sizes.get(EVIDENCE) ?? 0
    await this.#append(EVIDENCE, lines.join(''), true)
    this.#indexEvidence(moved, lines, offset)
  }

  /** Indexes events whose lines follow one another in a file. Returns where the last one ends. */
  #index(events: readonly Pick<StoredEvent, 'id' | 'at'>[], file: string, lines: readonly string[], from: number): number {
    let offset = from
    lines.forEach((line, i) => {
      const length = Buffer.byteLength(line) - 1
      const { id, at } = events[i]!
      this.#positions.set(id, { file, offset, length, at })
      offset += length + 1
    })
    return offset
  }

  #indexEvidence(labelled: readonly LabelledEvent[], lines: readonly string[], from: number): number {
    const events = labelled.map(({ event }) => event)
    for (const { id } of events) this.#separateLabels.delete(id)
    return this.#index(events, EVIDENCE, lines, from)
  }

  #forget(id: string): void {
    this.#positions.delete(id)
    this.#labels.delete(id)
    this.#separateLabels.delete(id)
  }

  /**
   * Rewrites evidence.jsonl with its newest events, at most three eighths of the store, and without superseded lines.
   */
  async #shortenEvidence(): Promise<void> {
    const inFile = [...this.#positions].filter(([, { file }]) => file === EVIDENCE).sort(([, a], [, b]) => b.at - a.at)
    const kept: LabelledEvent[] = []
    let size = 0
    for (const [id, { length }] of inFile) {
      const found = size + length > this.#settings.maxBytes * 0.375 ? null : await this.#read(id)
      if (found !== null) kept.push(found)
      else this.#forget(id)
      size += length + 1
    }
    await this.#closeReader(EVIDENCE)
    const lines = kept.reverse().map(labelledLine)
    await writeWhole(this.#folder, EVIDENCE, lines.join(''))
    this.#sizes.set(EVIDENCE, this.#indexEvidence(kept, lines, 0))
  }

  /** Rewrites outcomes.jsonl with the labels that are not with their event. */
  async #rewriteOutcomes(): Promise<void> {
    const text = [...this.#separateLabels].map((id) => labelLine({ id, labels: this.#labels.get(id) ?? {} })).join('')
    await writeWhole(this.#folder, OUTCOMES, text)
    this.#outcomesAfterRewrite = Buffer.byteLength(text)
    this.#sizes.set(OUTCOMES, this.#outcomesAfterRewrite)
  }

  async #closeReader(file: string): Promise<void> {
    await this.#readers.get(file)?.close()
    this.#readers.delete(file)
  }
}

function segmentName(number: number): string {
  return `events-${String(number).padStart(6, '0')}.jsonl`
}

function numberOf(segment: string): number {
  return Number(SEGMENT.exec(segment)?.[1] ?? 0)
}

/** Whether a label that is set says no more than the one that is known. */
function isSame(known: Labels[string] | undefined, set: Labels[string]): boolean {
  if (known === undefined || known.weight !== set.weight || known.truth.length !== set.truth.length) return false
  return known.truth.every((index, i) => index === set.truth[i]) && (set.given === undefined || set.given === known.given)
}

function closed(): EngineError {
  return new EngineError('invalid_request', 'The outcome store is closed; open it anew.')
}
