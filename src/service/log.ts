// Log lines by pino: JSON for machines, short lines for a person at a terminal. Keys and passwords of URLs are removed
// from every line. Errors are logged by name, code and stack: messages of refusals quote requests, and requests are
// never logged.
import pino, { type DestinationStream } from 'pino'
import { EngineError } from '../core/errors.ts'
import { ServiceRefusal } from './errors.ts'
import type { ServiceSettings } from './settings.ts'
import type { Log } from './telemetry.ts'

export interface LogOptions {
  readonly level: ServiceSettings['logLevel']
  /** Default: JSON. */
  readonly isForPerson?: boolean
  /** Takes whole lines; default: standard error, written before the call returns so that no line is lost at the end. */
  readonly write?: (line: string) => void
}

/**
 * Makes a log. `err` and `error` among the fields of a line are errors; they are logged without what they might quote.
 */
export function createLog({ level, isForPerson = false, write }: LogOptions): Log {
  const destination: DestinationStream = write === undefined ? pino.destination({ fd: 2, sync: true }) : { write }
  const clean: DestinationStream = { write: (line) => destination.write(scrub(isForPerson ? forPerson(line) : line)) }
  const logger = pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: errorFields, error: errorFields },
    },
    clean,
  )
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
  }
}

const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/\bservice_sk_[\w-]+/g, 'service_sk_…'],
  [/\b(Bearer|token=)(\s*)[\w.~+/-]+=*/gi, '$1$2…'],
  // Of the userinfo of a URL; a password may hold what should have been escaped, an @ too. Schemes are short: else a
  // line of a.a.a.a takes its length squared.
  [/(\b[a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/"?#]*@/gi, '$1…@'],
]

/** A text without keys, tokens and the names and passwords of URLs. */
export function scrub(text: string): string {
  return SECRETS.reduce((cleaned, [pattern, replacement]) => cleaned.replace(pattern, replacement), text)
}

/** Causes that are followed: deeper ones say no more. */
const MOST_CAUSES = 3

function errorFields(error: unknown): object {
  return told(error, 0)
}

function told(error: unknown, depth: number): object {
  if (!(error instanceof Error)) return { name: typeof error }
  const code = (error as { code?: unknown }).code
  const isQuoting = error instanceof EngineError || error instanceof ServiceRefusal || error instanceof SyntaxError
  return {
    name: error.name,
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    ...(isQuoting ? {} : { message: error.message }),
    at: placesOf(error),
    ...(error.cause === undefined || depth === MOST_CAUSES ? {} : { cause: told(error.cause, depth + 1) }),
  }
}

/** The frames of a stack, without the message before them. */
function placesOf({ stack = '' }: Error): readonly string[] {
  return stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 8)
    .map((line) => line.trim().replace(/^at /, ''))
}

/** `12:30:01 warn  the message  route=/v1/ask status=503`. */
function forPerson(line: string): string {
  const { level, time, msg, ...fields } = JSON.parse(line) as { level: string; time: string; msg: string }
  const said = Object.entries(fields).map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  return `${visible([time.slice(11, 19), level.padEnd(5), msg, ...said].join(' '))}\n`
}

/** Control characters escaped: what a client sent must neither steer a terminal nor start a line. */
function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, (character) => `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`)
}
