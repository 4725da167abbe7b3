import { describe, expect, it } from 'vitest'
import { readSettings, SettingsError } from '../../src/service/read-settings.ts'
import type { SettingKind } from '../../src/service/setting-kinds.ts'
import { defaultText, SETTING_TABLE } from '../../src/service/setting-table.ts'
import { DEFAULT_SETTINGS } from '../../src/service/settings.ts'

function problemsOf(flags: Record<string, string>, env: Record<string, string> = {}): readonly string[] {
  try {
    readSettings(flags, env)
  } catch (error) {
    if (error instanceof SettingsError) return error.problems
    throw error
  }
  return []
}

describe('settings', () => {
  it('are the defaults when nothing is set', () => {
    expect(readSettings({}, {})).toEqual(DEFAULT_SETTINGS)
  })

  it('are all in the table, once', () => {
    const fields = SETTING_TABLE.map(({ field }) => field)
    expect([...fields].sort()).toEqual(Object.keys(DEFAULT_SETTINGS).sort())
    const names = SETTING_TABLE.flatMap(({ flag, env }) => [...(flag === null ? [] : [flag]), ...env])
    expect(new Set(names).size).toBe(names.length)
  })

  it('have defaults that are written as their own flags take them', () => {
    for (const entry of SETTING_TABLE) {
      const text = defaultText(entry)
      if (text === null) expect(DEFAULT_SETTINGS[entry.field]).toBeNull()
      else expect((entry.kind as SettingKind<unknown>).read(text), `${entry.field} ${text}`).toEqual(DEFAULT_SETTINGS[entry.field])
    }
  })

  it('read every kind of value from flags', () => {
    const flags = {
      port: '0',
      'body-bytes': '8MiB',
      'image-bytes': '500kB',
      'image-pixels': '2.5Mpx',
      deadline: '90s',
      keep: '7d',
      drain: '250',
      prices: 'service-1-pro=0.10, *=1.5',
      aliases: 'gpt-*=service-1-pro,old=new',
      'cors-origins': 'https://a.example, http://localhost:3000',
      'url-hosts': '*.example.com',
      'keep-features': 'on',
      console: 'off',
      'log-level': 'debug',
    }
    expect(readSettings(flags, {})).toMatchObject({
      port: 0,
      bodyBytes: 8 * 2 ** 20,
      imageBytes: 500_000,
      imagePixels: 2_500_000,
      deadlineMs: 90_000,
      keepMs: 7 * 86_400_000,
      drainMs: 250,
      prices: { 'service-1-pro': 100_000_000n, '*': 1_500_000_000n },
      aliases: { 'gpt-*': 'service-1-pro', old: 'new' },
      corsOrigins: ['https://a.example', 'http://localhost:3000'],
      urlHosts: ['*.example.com'],
      keepsFeatures: true,
      console: false,
      logLevel: 'debug',
    })
  })

  it.each(['a.db', 'file:///data/a%20b.db', ':memory:', 'postgres://u:p@h/n'])('take %s for a database', (databaseUrl) => {
    expect(readSettings({ database: databaseUrl }, {})).toMatchObject({ databaseUrl })
  })

  it('take none for lists and pairs', () => {
    expect(readSettings({ aliases: 'none', prices: 'none', 'url-hosts': 'none' }, {})).toMatchObject({
      aliases: {},
      prices: {},
      urlHosts: [],
    })
  })

  it('go by flags first, then by variables of ours, then by plain ones', () => {
    const env = { PORT: '1', ASSAY_PORT: '2', DATABASE_URL: 'postgres://localhost/a', HOST: '0.0.0.0' }
    expect(readSettings({}, { PORT: '1' }).port).toBe(1)
    expect(readSettings({}, env)).toMatchObject({ port: 2, databaseUrl: 'postgres://localhost/a', host: '0.0.0.0' })
    expect(readSettings({ port: '3' }, env).port).toBe(3)
  })

  it('come from a file below flags and variables, by the names that flags have', () => {
    const json = { port: 4, deadline: '90s', 'body-bytes': '8MiB', console: false, 'legacy-name': 'oracle', 'id-characters': 64 }
    const more = {
      prices: { '*': 0.5, mine: '1' },
      'url-hosts': ['a.example', '*.b.example'],
      aliases: {},
      'announced-models': { next: 'The next' },
    }
    const file = { name: 'assay.json', json: { ...json, ...more } }
    expect(readSettings({ deadline: '5s' }, { PORT: '3' }, undefined, file)).toMatchObject({
      port: 3,
      deadlineMs: 5000,
      bodyBytes: 8 * 2 ** 20,
      console: false,
      legacyName: 'oracle',
      idCharacters: 64,
      prices: { '*': 500_000_000n, mine: 1_000_000_000n },
      urlHosts: ['a.example', '*.b.example'],
      aliases: {},
      announcedModels: { next: 'The next' },
    })
  })

  it('of a file are refused by name, all at once, secrets without their values', () => {
    const json = { prot: 80, deadline: 'soon', queue: [{}], 'admin-token': 'short canary' }
    const read = () => readSettings({}, {}, undefined, { name: 'assay.json', json })
    expect(read).toThrow(SettingsError)
    try {
      read()
    } catch (error) {
      const { problems } = error as SettingsError
      expect(problems).toEqual([
        'assay.json names no setting with "prot". Did you mean "port"?',
        '"queue" in assay.json is a text, a number, true or false, a list, or an object of names and values',
        expect.stringMatching(/^"deadline" in assay\.json takes a time .*, not "soon"$/),
        expect.stringMatching(/^"admin-token" in assay\.json takes a token .*spaces$/),
      ])
    }
    expect(() => readSettings({}, {}, undefined, { name: 'assay.json', json: [] })).toThrow('assay.json holds no JSON object of settings')
  })

  it('of threads and caches are a number and a size; threads have no default of their own', () => {
    expect(readSettings({}, {})).toMatchObject({ threads: null, cacheBytes: 256 * 2 ** 20 })
    expect(readSettings({ threads: '1' }, { ASSAY_CACHE_BYTES: '1GiB' })).toMatchObject({ threads: 1, cacheBytes: 2 ** 30 })
  })

  it('take fractions of a unit, to the nearest smallest one', () => {
    const flags = { 'image-pixels': '8.3Mpx', deadline: '16.1s', 'body-bytes': '8.2MB', 'cache-bytes': '1.1GiB' }
    const read = { imagePixels: 8_300_000, deadlineMs: 16_100, bodyBytes: 8_200_000, cacheBytes: 1_181_116_006 }
    expect(readSettings(flags, {})).toMatchObject(read)
  })

  it('count an empty variable, and what Kubernetes writes about a service of our name, as not set', () => {
    expect(readSettings({}, { ASSAY_PORT: '', PORT: '5' }).port).toBe(5)
    expect(readSettings({}, { ASSAY_PORT: 'tcp://10.0.0.7:80' }).port).toBe(8080)
  })

  it('name everything that is wrong at once, where it was set and what it takes', () => {
    const problems = problemsOf({ port: '70000', deadline: 'soon' }, { ASSAY_BODY_BYTES: '32 bananas', ASSAY_CONSOLE: 'maybe' })
    expect(problems).toHaveLength(4)
    expect(problems[0]).toBe('--port takes a whole number from 0 to 65535, not "70000"')
    expect(problems.join('\n')).toMatch(/^ASSAY_BODY_BYTES takes a size such as 32MiB, from 1KiB to 512MiB, not "32 bananas"$/m)
    expect(problems.join('\n')).toMatch(/^--deadline takes a time such as .*, not "soon"$/m)
    expect(problems.join('\n')).toMatch(/^ASSAY_CONSOLE takes on or off, not "maybe"$/m)
  })

  it('never repeat a secret', () => {
    const problems = problemsOf({}, { DATABASE_URL: 'mysql://root:canary@db/x', ASSAY_ADMIN_TOKEN: 'short canary' })
    expect(problems).toHaveLength(2)
    expect(problems.join('\n')).not.toContain('canary')
  })

  it.each([
    ['ASSAY_LEGACY_NAME', 'ask'],
    ['ASSAY_LEGACY_NAME', '../models'],
    ['ASSAY_ID_CHARACTERS', '4'],
    ['ASSAY_FILL_TOKENS', '5000'],
    ['ASSAY_OPTIONS', '1'],
    ['ASSAY_LEVELS', '1000'],
  ])('refuse %s=%s, which has no flag', (name, text) => {
    expect(problemsOf({}, { [name]: text })).toEqual([expect.stringMatching(`^${name} takes `)])
  })

  it.each([
    ['prices', 'service-1-pro=cheap'],
    ['prices', 'service-1-pro=-1'],
    ['prices', 'a=1,a=2'],
    ['prices', 'a=0.0000000001'],
    ['aliases', 'gpt-*-mini=service-1-pro'],
    ['aliases', 'gpt'],
    ['cors-origins', 'https://a.example/path'],
    ['url-hosts', 'https://a.example'],
    ['url-hosts', '*'],
    ['deadline', '0'],
    ['deadline', '2d'],
    ['deadline', '1.5ms'],
    ['body-bytes', '2048.5'],
    ['queue', '1.5'],
    ['queue', ''],
    ['host', 'a b'],
    ['database', 'file:///%zz'],
    ['database', 'file://data/assay.db'],
  ])('refuse --%s %s', (flag, text) => {
    expect(problemsOf({ [flag]: text })).toHaveLength(1)
  })
})
