// Decides which hosts may be fetched from, and which addresses are on the public internet, before anything is sent.
import { BlockList, isIP } from 'node:net'
import { EngineError } from '../core/errors.ts'

/**
 * Everything in IPv4 that is not plainly someone's public address (IANA's special-purpose registry), and the one public
 * address that a cloud answers on from inside.
 */
const NOT_PUBLIC_V4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

/**
 * Of IPv6 only what is given out as global unicast: loopback, link-local, unique local, multicast, IPv4-mapped and
 * NAT64 lie outside it.
 */
const GLOBAL_V6: readonly [string, number] = ['2000::', 3]
/** Inside it: protocol assignments (Teredo among them), documentation, 6to4, which hides an IPv4 address, and AS112. */
const NOT_PUBLIC_V6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
]

function blockListOf(subnets: readonly (readonly [string, number])[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const [net, prefix] of subnets) list.addSubnet(net, prefix, family)
  return list
}

const closedV4 = blockListOf(NOT_PUBLIC_V4, 'ipv4')
const globalV6 = blockListOf([GLOBAL_V6], 'ipv6')
const closedV6 = blockListOf(NOT_PUBLIC_V6, 'ipv6')

/** Whether an address is on the public internet. Text that is no address, or names a zone, is not. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !closedV4.check(address, 'ipv4')
  return family === 6 && !address.includes('%') && globalV6.check(address, 'ipv6') && !closedV6.check(address, 'ipv6')
}

/** The name or address in a URL, without the brackets of an IPv6 one. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1')
}

/**
 * Whether a host stands on a list of names: exactly, or below a `*.example.com`, which does not hold `example.com`
 * itself. Entries are as an operator writes them, in any case. Throws `invalid_request` for an entry that is no name.
 */
export function isHostListed(host: string, entries: readonly string[]): boolean {
  return entries.map(entryOf).some(({ name, isBelow }) => (isBelow ? host.endsWith(`.${name}`) : host === name))
}

function entryOf(entry: string): { readonly name: string; readonly isBelow: boolean } {
  const isBelow = entry.startsWith('*.')
  const asked = isBelow ? entry.slice(2) : entry
  const url = URL.canParse(`https://${asked}/`) ? new URL(`https://${asked}/`) : null
  // A port, a path or a sign-in would be lost silently.
  if (url === null || asked === '' || /[/@?#*\s\\]/.test(asked) || url.port !== '' || /:\d+$/.test(asked.replace(/\[.*\]/, ''))) {
    const message = `A host that images may be fetched from is a name such as images.example.com or *.example.com, received ${JSON.stringify(entry)}.`
    throw new EngineError('invalid_request', message)
  }
  return { name: hostOf(url), isBelow }
}
