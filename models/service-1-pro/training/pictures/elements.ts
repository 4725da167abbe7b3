/**
 * The pieces that pages are made of, as HTML. What can be asked about carries `data-role`, `data-name` and
 * `data-flags`; measure-page.js turns these into boxes.
 */
import { icons } from './icons.ts'
import type { Random } from './random.ts'
import { capital, type Vocabulary } from './vocabulary.ts'

// biome-ignore format: a few lines, not one a role
export const roles = [
  'button', 'input', 'checkbox', 'radio', 'toggle', 'tab', 'link', 'heading', 'error', 'success', 'info', 'warning', 'dialog', 'row', 'badge',
  'icon', 'image', 'card', 'message', 'text', 'menu', 'shape', 'option', 'cell', 'fact',
] as const
export type Role = (typeof roles)[number]

// biome-ignore format: a few lines, not one a flag
export const flags = [
  'checked', 'selected', 'disabled', 'primary', 'danger', 'error', 'focused', 'unread', 'filled', 'mine', 'red', 'green', 'blue', 'orange',
] as const
export type Flag = (typeof flags)[number]

const escapeHtml = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;')

const mark = (role: Role, name: string, on: readonly (Flag | false)[] = []): string =>
  `data-role="${role}" data-name="${escapeHtml(name)}" data-flags="${on.filter(Boolean).join(' ')}"`

export interface ButtonOptions {
  readonly primary?: boolean
  readonly danger?: boolean
  readonly disabled?: boolean
  readonly ghost?: boolean
  readonly icon?: string
  readonly wide?: boolean
}

export interface FieldOptions {
  readonly value?: string
  readonly error?: string
  readonly focused?: boolean
  readonly disabled?: boolean
  readonly area?: boolean
}

/**
 * How often a page shows rare things: `any` as on real pages, `trouble` with errors wherever they can be, `calm` with
 * none. Training pages are half trouble, half calm, because from real frequencies a model learns to say that all is
 * well.
 */
export type Mood = 'any' | 'trouble' | 'calm'

/** Builds pieces with one page's random stream and words. */
export class Elements {
  readonly random: Random
  readonly words: Vocabulary
  readonly mood: Mood
  readonly #nativeBoxes: boolean
  readonly #inlineLabels: boolean
  readonly #placeholders: boolean

  constructor(random: Random, words: Vocabulary, mood: Mood = 'any') {
    this.random = random
    this.words = words
    this.mood = mood
    this.#nativeBoxes = random.chance(0.5)
    this.#inlineLabels = random.chance(0.15)
    this.#placeholders = random.chance(0.15)
  }

  icon(name: string, isMarked = true): string {
    return `<svg class="icon" viewBox="0 0 24 24" ${isMarked ? mark('icon', name) : ''}>${icons[name]}</svg>`
  }

  button(label: string, options: ButtonOptions = {}): string {
    const look = [
      options.primary && 'primary',
      options.danger && 'danger',
      options.disabled && 'disabled',
      options.ghost && 'ghost',
      options.wide && 'wide',
    ]
    const on = [options.primary && 'primary', options.danger && 'danger', options.disabled && 'disabled'] as const
    const icon = options.icon ? this.icon(options.icon, false) : ''
    const tag = this.random.chance(0.5) ? 'button' : 'div'
    return `<${tag} class="button ${look.filter(Boolean).join(' ')}" ${mark(
      'button',
      label,
      on.map((flag) => flag ?? false),
    )}>${icon}<span>${escapeHtml(label)}</span></${tag}>`
  }

  /** A main button and some others; the main one is first or last. */
  buttons(main: string, others: readonly string[], options: ButtonOptions = {}): string {
    const rest = others.map((label) => this.button(label, { ghost: this.random.chance(0.25), disabled: this.random.chance(0.08) }))
    const first = this.button(main, { primary: !options.danger, ...options })
    const all = this.random.chance(0.5) ? [first, ...rest] : [...rest, first]
    return `<div class="row ${this.random.pick(['', 'end', 'middle', ''])}">${all.join('')}</div>`
  }

  field(label: string, options: FieldOptions = {}): string {
    const isSecret = /password|code|token/i.test(label)
    const value = options.value === undefined ? '' : isSecret ? '•'.repeat(this.random.int(4, 12)) : options.value
    const placeholder = this.#placeholders
      ? label
      : this.random.chance(0.2)
        ? this.random.pick([`Enter ${label.toLowerCase()}`, this.words.words(2), label])
        : ''
    const on = [
      options.error !== undefined && 'error',
      options.focused && 'focused',
      options.disabled && 'disabled',
      value !== '' && 'filled',
    ] as const
    const flagged = on.map((flag) => flag || false)
    const shown = value ? `<span>${escapeHtml(value)}</span>` : `<span class="placeholder">${escapeHtml(placeholder)}</span>`
    const classes = [...flagged.filter(Boolean), options.area ? 'area' : '']
    const caption = this.#placeholders ? '' : `<span class="label">${escapeHtml(label)}${this.random.chance(0.1) ? ' *' : ''}</span>`
    const input = `<div class="input grow ${classes.join(' ')}" ${mark('input', label, flagged)}>${shown}</div>`
    const field = `<div class="field ${this.#inlineLabels ? 'inline' : ''}">${caption}${input}</div>`
    return options.error === undefined ? field : `<div class="col" style="gap:3px">${field}${this.errorText(options.error)}</div>`
  }

  errorText(text: string): string {
    const icon = this.random.chance(0.3) ? this.icon('warning', false) : ''
    return `<div class="error-text" ${mark('error', text)}>${icon}<span>${escapeHtml(text)}</span></div>`
  }

  banner(role: 'error' | 'success' | 'info' | 'warning', text: string): string {
    const icon = { error: 'warning', success: 'check', info: 'info', warning: 'warning' }[role]
    return `<div class="banner ${role} ${this.random.chance(0.25) ? 'solid' : ''}" ${mark(role, text)}>${this.random.chance(0.6) ? this.icon(icon, false) : ''}<span>${escapeHtml(text)}</span></div>`
  }

  option(role: 'checkbox' | 'radio' | 'toggle', label: string, checked: boolean, disabled = false): string {
    const attributes = mark(role, label, [checked && 'checked', disabled && 'disabled'])
    const type = role === 'radio' ? 'radio' : 'checkbox'
    const state = checked ? 'checked' : ''
    const own = {
      checkbox: `<span class="box ${state}" ${attributes}>${checked ? this.icon('check', false) : ''}</span>`,
      radio: `<span class="dot ${state}" ${attributes}></span>`,
      toggle: `<span class="toggle ${state}" ${attributes}></span>`,
    }[role]
    const control =
      role !== 'toggle' && this.#nativeBoxes ? `<input type="${type}" ${state} ${disabled ? 'disabled' : ''} ${attributes}>` : own
    const text = `<span>${escapeHtml(label)}</span>`
    // The whole line has the state too, so that the words beside a box are read as ticked.
    const line = mark('option', label, [checked && 'checked', disabled && 'disabled'])
    return role === 'toggle' && this.random.chance(0.6)
      ? `<div class="row between ${disabled ? 'option disabled' : ''}" ${line}>${text}${control}</div>`
      : `<div class="option ${disabled ? 'disabled' : ''}" ${line}>${control}${text}</div>`
  }

  tab(label: string, selected: boolean, icon?: string): string {
    return `<div class="tab ${selected ? 'selected' : ''}" ${mark('tab', label, [selected && 'selected'])}>${icon ? this.icon(icon, false) : ''}<span>${escapeHtml(label)}</span></div>`
  }

  link(label: string): string {
    return `<span class="link" ${mark('link', label)}>${escapeHtml(label)}</span>`
  }

  heading(text: string, level = 1): string {
    return `<h${level} ${mark('heading', text)}>${escapeHtml(text)}</h${level}>`
  }

  text(text: string, classes = ''): string {
    return `<p class="${classes}" ${mark('text', text)}>${escapeHtml(text)}</p>`
  }

  badge(text: string, colour: '' | 'green' | 'red' | 'orange' | 'blue' = ''): string {
    return `<span class="badge ${colour}" ${mark('badge', text, [colour !== '' && colour])}>${escapeHtml(text)}</span>`
  }

  /** A made-up picture: a landscape, a gradient or a face-like shape. */
  image(width: number, height: number, name: string): string {
    const [a, b, c] = [0, 1, 2].map(() => `hsl(${this.random.int(0, 359)} ${this.random.int(20, 80)}% ${this.random.int(30, 80)}%)`)
    const drawing = this.random.pick([
      `<rect width="100" height="100" fill="${a}"/><circle cx="${this.random.int(20, 80)}" cy="30" r="14" fill="${b}"/><path d="M0 100L35 45 60 80 80 60 100 100z" fill="${c}"/>`,
      `<rect width="100" height="100" fill="${a}"/><ellipse cx="50" cy="55" rx="30" ry="38" fill="${b}"/><circle cx="40" cy="45" r="5" fill="${c}"/><circle cx="60" cy="45" r="5" fill="${c}"/>`,
      `<rect width="100" height="100" fill="${a}"/><rect x="20" y="25" width="60" height="55" rx="8" fill="${b}"/><rect x="30" y="35" width="40" height="12" fill="${c}"/>`,
    ])
    return `<svg class="picture" viewBox="0 0 100 100" preserveAspectRatio="none" width="${width}" height="${height}" ${mark('image', name)}>${drawing}</svg>`
  }

  avatar(name: string): string {
    return `<span class="avatar" style="background:hsl(${this.random.int(0, 359)} 55% 42%)">${escapeHtml(name.charAt(0))}</span>`
  }

  wrap(role: Role, name: string, html: string, classes: string, on: readonly (Flag | false)[] = []): string {
    return `<div class="${classes}" ${mark(role, name, on)}>${html}</div>`
  }

  /** A table with a header. A row is named by its first cell; with `areCellsNamed`, a cell is named by its column. */
  table(columns: readonly string[], rows: readonly (readonly string[])[], selected = -1, areCellsNamed = false): string {
    const head = `<tr>${columns.map((column) => `<th>${escapeHtml(column)}</th>`).join('')}</tr>`
    const body = rows.map((cells, i) => {
      const html = cells
        .map((cell, j) => {
          const name = areCellsNamed ? mark('cell', columns[j] ?? '') : ''
          return `<td ${name}>${cell.startsWith('<') ? cell : escapeHtml(cell)}</td>`
        })
        .join('')
      return `<tr class="${i === selected ? 'selected' : ''}" ${mark('row', cells[0] ?? '', [i === selected && 'selected'])}>${html}</tr>`
    })
    return `<table>${head}${body.join('')}</table>`
  }

  dialog(title: string, body: string, footer: string, hasClose: boolean): string {
    const close = hasClose ? this.icon('close') : ''
    return `<div class="backdrop"></div><div class="dialog" ${mark('dialog', title)}><div class="row between">${this.heading(title, 2)}${close}</div>${body}${footer}</div>`
  }

  /** A value a person could have typed into the field of this label. */
  valueFor(label: string): string {
    const { words, random } = this
    if (/mail/i.test(label)) return words.email()
    if (/name|^to$|^from$|owner/i.test(label)) return words.person()
    if (/date|check|birth/i.test(label)) return words.date()
    if (/phone/i.test(label)) return `0${random.int(100, 999)} ${random.int(100000, 999999)}`
    if (/number|code|port|amount|price|age|quantity|guests|budget/i.test(label)) return String(random.int(1, 9999))
    return capital(words.words(random.int(1, 3)))
  }
}
