// Shows the progress of a long command: a bar where a person reads standard error, a plain line now and then elsewhere.
import { CLEAR_LINE, painter, plain, shorten, type Terminal } from './terminal.ts'

export interface Progress {
  /** One more is done; `note` is what it was part of. What failed does not count for the speed. */
  step(note: string, hasFailed?: boolean): void
  end(): void
}

export interface ProgressOptions {
  readonly total: number
  /** Done before this run. */
  readonly before: number
  /** What is counted, as in "rows". */
  readonly unit: string
  /** Milliseconds from any start. */
  readonly now: () => number
}

const REDRAW_MS = 100
const LINE_MS = 10_000
const BAR = 24

export function startProgress(terminal: Terminal, { total, before, unit, now }: ProgressOptions): Progress {
  const begun = now()
  const isLive = terminal.isErrorInteractive
  const paint = painter(terminal.hasColor && isLive)
  // The first step is drawn at once where a person waits.
  let [done, failed, said, saidDone] = [before, 0, isLive ? begun - REDRAW_MS : begun, before]
  const facts = (): string => {
    const seconds = (now() - begun) / 1000
    const answered = done - before - failed
    if (done === before) return `${done}/${total} ${unit}, ${done < total ? 'none yet' : 'all done before'}`
    const rate = seconds > 0 ? answered / seconds : 0
    const noneAnswered = before === 0 ? 'all failed' : `all ${failed} asked now failed`
    const speed = answered === 0 ? noneAnswered : `${rate < 10 ? rate.toFixed(1) : Math.round(rate)}/s`
    const failing = failed === 0 || answered === 0 ? '' : `, ${failed} failed`
    const left = rate > 0 && done < total ? `, ${duration((total - done) / rate)} left` : ''
    return `${done}/${total} ${unit}, ${speed}${failing}${left}`
  }
  const draw = (note: string): void => {
    const filled = total === 0 ? BAR : Math.round((done / total) * BAR)
    const [full, empty] = terminal.hasUnicode ? ['█', '░'] : ['#', '.']
    const bar = `${paint('cyan', full.repeat(filled))}${paint('dim', empty.repeat(BAR - filled))}`
    const words = shorten(plain(`${facts()}  ${note}`), Math.max(10, terminal.columns - BAR - 3))
    terminal.warn(`${CLEAR_LINE}${bar} ${words}`)
  }
  return {
    step(note, hasFailed = false) {
      done++
      if (hasFailed) failed++
      if (now() - said < (isLive ? REDRAW_MS : LINE_MS)) return
      said = now()
      saidDone = done
      if (isLive) draw(note)
      else terminal.warn(`${facts()}\n`)
    },
    end() {
      if (isLive) terminal.warn(CLEAR_LINE)
      // Also when there was nothing left to do: silence would leave open whether anything was.
      if (done > saidDone || isLive || done === before) terminal.warn(`${facts()}\n`)
    },
  }
}

/** Seconds as `42 s`, `3 min 10 s`, `2 h 5 min`. */
function duration(seconds: number): string {
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  const minutes = Math.floor(whole / 60)
  return minutes < 60 ? `${minutes} min ${whole % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
