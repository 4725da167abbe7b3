// Which parts of a text bear numbers, and which of them a question is about.
import { describe, expect, it } from 'vitest'
import { namedParts, numberedParts as partsOf } from '../../../../../src/backends/onnx/families/encoder/numbered-parts.ts'
import { stateText } from '../../../../../src/backends/onnx/families/encoder/state-text.ts'
import { readState } from '../../../../shared/read-state.ts'

const numberedParts = (text: string) => partsOf({ text, elements: [] })

/** Label -> the first and the last line of the part. */
function outline(text: string): Record<string, string> {
  const ends = ([first, ...rest]: readonly string[]): string => [first, ...rest.slice(-1)].join(' … ')
  return Object.fromEntries(
    [...numberedParts(text)].map(([label, { start, end }]) => [label, ends(text.slice(start, end).trim().split('\n'))]),
  )
}

describe('parts with numbers', () => {
  it('are found under headings of every make', () => {
    for (const heading of [
      'Document 1',
      '=== Document 1 (letter) ===',
      '## Document 1: Refunds',
      '[Document 1]',
      'DOCUMENT No. 1 – x',
      '**Document #1**',
    ]) {
      const text = `${heading}\nOne.\n${heading.replace('1', '2')}\nTwo.`
      expect([heading, Object.keys(outline(text))]).toEqual([heading, ['document 1', 'document 2']])
    }
    expect(outline('Section 1.1: a\nb\nSection 1.2: c')).toEqual({ 'section 1.1': 'Section 1.1: a … b', 'section 1.2': 'Section 1.2: c' })
  })

  it('end where the next of their kind begins, or one around them', () => {
    const text = 'Chapter 1\nSection 1: a\nSection 2: b\nChapter 2\nSection 3: c\nEnd.'
    expect(outline(text)).toEqual({
      'chapter 1': 'Chapter 1 … Section 2: b',
      'section 1': 'Section 1: a',
      'section 2': 'Section 2: b',
      'chapter 2': 'Chapter 2 … End.',
      'section 3': 'Section 3: c … End.',
    })
  })

  it('are read from behind their headings', () => {
    for (const [heading, behind] of [
      ['=== Document 1 (letter, 3 May) ===\n\nHello.', 'Hello.'],
      ['[Document 1]\nHello.', 'Hello.'],
      ['Document 1: Hello.', 'Hello.'],
      ['## Document 1. Refunds\nHello.', 'Refunds\nHello.'],
      ['Document 1 (Refunds): Hello.', '(Refunds): Hello.'],
    ] as const) {
      const text = `${heading}\nDocument 2: Bye.`
      const { content, end } = numberedParts(text).get('document 1')!
      expect([heading, text.slice(content, end).trim()]).toEqual([heading, behind])
    }
  })

  it('are elements of JSON lists, known by their ids or their places', async () => {
    const state = {
      supportTickets: [
        { id: 'T-17', text: 'a', lines: [{ sum: 1 }, { sum: 2 }] },
        { id: 'T-18', text: 'b', lines: [{ sum: 3 }] },
      ],
      orders: [{ paid: true }, { paid: false }],
      'line items': ['x', 'y'],
      people: [{ id: 'no number', age: 3 }, { age: 4 }],
    }
    const written = stateText((await readState(state)).prompt)
    const parts = [...partsOf(written)].map(([label, { content, end }]) => [label, written.text.slice(content, end)])
    expect(Object.fromEntries(parts)).toEqual({
      'ticket t-17':
        'supportTickets 1 id: T-17\nsupportTickets 1 text: a\nsupportTickets 1 lines 1 sum: 1\nsupportTickets 1 lines 2 sum: 2',
      'ticket t-18': 'supportTickets 2 id: T-18\nsupportTickets 2 text: b\nsupportTickets 2 lines 1 sum: 3',
      'order 1': 'orders 1 paid: true',
      'order 2': 'orders 2 paid: false',
    })
    expect(namedParts('Ticket T-18: It is urgent.', partsOf(written), false)).toMatchObject({ areAll: true, rest: 'It is urgent.' })
  })

  it('are elements of JSON lists whatever stands among them', async () => {
    for (const other of [{}, null, 'none', ['a', 'b']]) {
      const written = stateText((await readState({ tickets: [{ id: 7, text: 'a' }, other, { id: 8, text: 'b' }] })).prompt)
      expect([other, [...partsOf(written).keys()]]).toEqual([other, ['ticket 7', 'ticket 2', 'ticket 8']])
    }
  })

  it('are neither speakers, nor sentences, nor alone', () => {
    expect(outline('Agent 1: Hi.\nAgent 2: Yes?\nAgent 1: Bye.')).toEqual({})
    expect(outline('Room 3 was cold\nRoom 4 was warm')).toEqual({})
    expect(outline('Document 1: Hi.\nYours')).toEqual({})
  })

  it('are found in texts made to take long', () => {
    const letter = (n: number): string => 'abcdefghij'.charAt(n % 10)
    const kinds = Array.from({ length: 30_000 }, (_, n) => `k${letter(n)}${letter(n / 10)}${letter(n / 100)}${letter(n / 1000)} ${n}: x`)
    expect(numberedParts(kinds.join('\n')).size).toBe(30_000)
    const behind = ['ab 1'.concat(' '.repeat(200_000), 'x'), `ab 2 ${'()'.repeat(100_000)}x`, `ab 3 ${'('.repeat(200_000)}`]
    expect(numberedParts(behind.join('\n')).size).toBe(2)
    for (const hard of ['ab'.concat(' '.repeat(200_000)), 'no '.repeat(100_000), `ab ${'1,'.repeat(100_000)}x`]) {
      expect(numberedParts(hard).size).toBe(0)
      expect(namedParts(hard, numberedParts('ab 2: x\nab 3: y'), true).parts).toEqual([])
    }
  })
})

describe('a question', () => {
  const text = 'Document 1: a\nDocument 2: b\nDocument 3: c'
  const ask = (question: string, isRead = false) => {
    const { parts, areAll, rest } = namedParts(question, numberedParts(text), isRead)
    return { parts: parts.map(({ start }) => text.charAt(start + 'Document '.length)).join(), areAll, rest }
  }

  it('is about the parts it begins with alone', () => {
    for (const question of [
      'Document 2: The fee is waived.',
      'In document 2, is it?',
      '[Document 2] Is it?',
      'According to the document 2: is it?',
    ]) {
      const rest = question.includes('waived') ? 'The fee is waived.' : expect.stringMatching(/^is it\?$/i)
      expect([question, ask(question)]).toEqual([question, { parts: '2', areAll: true, rest }])
    }
    expect(ask('Documents 1 and 3: Do they agree?')).toEqual({ parts: '1,3', areAll: true, rest: 'Do they agree?' })
    expect(ask('Documents 1, 2, and 3: Do they agree?')).toEqual({ parts: '1,2,3', areAll: true, rest: 'Do they agree?' })
  })

  it('is about more than the parts it mentions', () => {
    expect(ask('The case meets the condition in document 2.')).toMatchObject({ parts: '2', areAll: false })
    expect(ask('Document 3 contradicts document 1.')).toMatchObject({ parts: '1,3', areAll: false })
    expect(ask('Is there a document 9?')).toMatchObject({ parts: '', areAll: false })
    expect(ask('Is it 2 documents?')).toMatchObject({ parts: '', areAll: false })
  })

  it('reads from the part that it says', () => {
    expect(ask('The invoice number in document 2', true)).toMatchObject({ parts: '2', areAll: true })
    expect(ask('Who does document 2 name?', true)).toMatchObject({ parts: '2', areAll: false })
  })
})
