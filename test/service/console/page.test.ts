import { afterEach, describe, expect, it } from 'vitest'
import { buildConsole } from '../../console/built.ts'
import { type Running, startRunning } from '../running.ts'
import { startConsole } from './signed-in.ts'

let running: Running
afterEach(() => running.end())

describe('the page of the console', () => {
  it('comes with a policy that lets in nothing but its own files, and headers that keep it to itself', async () => {
    running = await startConsole()
    const reply = await fetch(`${running.url}/console`)
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    const policy = reply.headers.get('content-security-policy')!.split('; ')
    expect(policy.sort()).toEqual([
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "img-src 'self' blob: data:",
      "script-src 'self'",
      "style-src 'self'",
    ])
    expect(reply.headers.get('x-content-type-options')).toBe('nosniff')
    expect(reply.headers.get('referrer-policy')).toBe('no-referrer')
    expect(reply.headers.get('x-frame-options')).toBe('DENY')
  })

  it('has no script and no style inside, and names no other host', async () => {
    running = await startConsole()
    const page = await (await fetch(`${running.url}/console/`)).text()
    expect(page).not.toMatch(/<script(?![^>]*\bsrc="\/console\/)|<style|\son\w+=|\sstyle=|https?:/)
  })

  it('is made of files that are asked for again only when they changed', async () => {
    await buildConsole()
    running = await startConsole()
    for (const [path, type] of [
      ['app.js', 'text/javascript; charset=utf-8'],
      ['app.css', 'text/css; charset=utf-8'],
    ]) {
      const first = await fetch(`${running.url}/console/${path}`)
      expect([first.status, first.headers.get('content-type'), first.headers.get('cache-control')]).toEqual([200, type, 'no-cache'])
      const again = await fetch(`${running.url}/console/${path}`, { headers: { 'if-none-match': first.headers.get('etag')! } })
      expect([again.status, await again.text()]).toEqual([304, ''])
    }
  })

  it('keeps the security headers on errors, and lets no other origin read it', async () => {
    running = await startConsole()
    for (const path of ['/console/api/keys', '/console/api/session']) {
      const reply = await fetch(`${running.url}${path}`, { headers: { origin: 'https://elsewhere.example' } })
      expect(reply.status).toBe(401)
      expect(reply.headers.get('content-security-policy')).toContain("default-src 'none'")
      expect(reply.headers.get('access-control-allow-origin')).toBeNull()
      expect(reply.headers.get('cache-control')).toBe('no-store')
    }
  })

  it('is not there where the console is turned off', async () => {
    running = await startRunning({ settings: { console: false } })
    expect((await fetch(`${running.url}/console`)).status).toBe(404)
  })
})
