// A terminal that nobody sits at, eighty columns wide: what a test or a process of its own runs a command line on.
import { join } from 'node:path'
import type { Terminal } from '../../src/cli/terminal.ts'

export interface Heard {
  out: string
  err: string
}

/**
 * A terminal that starts in `folder`, and what was printed on it so far; `settings` stand in place of what it has by
 * itself.
 */
export function fakeTerminal(folder: string, settings: Partial<Terminal> = {}): { terminal: Terminal; heard: Heard } {
  const heard: Heard = { out: '', err: '' }
  const terminal: Terminal = {
    print: (text) => {
      heard.out += text
    },
    warn: (text) => {
      heard.err += text
    },
    read: async () => '',
    isInteractive: false,
    isErrorInteractive: false,
    columns: 80,
    hasColor: false,
    hasUnicode: true,
    folder,
    // Never that of whoever runs the tests.
    home: join(folder, '.assay'),
    ...settings,
  }
  return { terminal, heard }
}
