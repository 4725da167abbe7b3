// What only the console refuses. These codes never stand on the service's own wire.
export type ConsoleErrorCode = 'not_signed_in' | 'wrong_token' | 'foreign_request' | 'unknown_session_token'

const STATUS: Readonly<Record<ConsoleErrorCode, number>> = {
  not_signed_in: 401,
  wrong_token: 401,
  foreign_request: 403,
  unknown_session_token: 403,
}

export const CONSOLE_ERROR_CODES = Object.keys(STATUS) as readonly ConsoleErrorCode[]

export class ConsoleError extends Error {
  readonly code: ConsoleErrorCode
  readonly status: number

  constructor(code: ConsoleErrorCode, message: string) {
    super(message)
    this.name = 'ConsoleError'
    this.code = code
    this.status = STATUS[code]
  }
}
