import { describe, expect, it } from 'vitest'
import { EngineError } from '../../src/core/errors.ts'
import { isHostListed, isPublicAddress } from '../../src/media/url-hosts.ts'

describe('a public address', () => {
  it.each(['8.8.8.8', '1.1.1.1', '172.15.0.1', '172.32.0.1', '100.63.255.255', '192.0.1.1', '2606:4700::1111', '2a00:1450:4001::8a'])(
    'is %s',
    (address) => {
      expect(isPublicAddress(address)).toBe(true)
    },
  )

  it.each([
    ...['0.0.0.0', '0.1.2.3', '10.0.0.1', '100.64.0.1', '100.100.100.200', '127.0.0.1', '127.255.255.254', '168.63.129.16'],
    ...['169.254.169.254', '172.16.0.1', '172.31.255.255', '192.0.0.192', '192.0.2.1', '192.88.99.1', '192.168.1.1', '198.18.0.1'],
    ...['198.51.100.1', '203.0.113.1', '224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
    ...['::', '::1', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::127.0.0.1', '64:ff9b::8.8.8.8', '64:ff9b:1::1', '100::1'],
    ...['2001::1', '2001:10::1', '2001:db8::1', '2002:7f00:1::', '3fff::1', 'fc00::1', 'fd00:ec2::254', 'fe80::1', 'fe80::1%eth0'],
    ...['2606:4700::1111%eth0', 'fec0::1', 'ff02::1', '5f00::1', '', 'localhost', '127.1', '0x7f.0.0.1'],
  ])('is not %s', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })
})

describe('a list of hosts', () => {
  it.each([
    ['images.example', ['images.example']],
    ['images.example', ['other.example', 'IMAGES.example']],
    ['a.images.example', ['*.images.example']],
    ['a.b.images.example', ['*.images.example']],
    ['xn--bcher-kva.example', ['bücher.example']],
    ['2606:4700::1111', ['[2606:4700::1111]']],
  ])('holds %s by %s', (host, entries) => {
    expect(isHostListed(host, entries)).toBe(true)
  })

  it.each([
    ['a.images.example', ['images.example']],
    ['images.example', ['*.images.example']],
    ['evilimages.example', ['*.images.example', 'images.example']],
    ['images.example.evil.example', ['images.example']],
    ['images.example', []],
  ])('does not hold %s by %s', (host, entries) => {
    expect(isHostListed(host, entries)).toBe(false)
  })

  it.each(['*', '*.', '', 'a*.example', 'https://images.example', 'images.example/a', 'images.example:8443', 'me@images.example', 'a b'])(
    'takes no entry such as "%s"',
    (entry) => {
      expect(() => isHostListed('images.example', [entry])).toThrow(EngineError)
    },
  )
})
