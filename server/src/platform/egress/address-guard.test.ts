import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type AddressClass, classifyAddress, literalAddress } from './address-guard.ts'

/** Expected class, label and addresses, including the first and last address of each range. */
const table: [verdict: AddressClass, label: string, addresses: string[]][] = [
  ['loopback', 'loopback', ['127.0.0.1', '127.0.0.53', '127.255.255.254', '::1', '0:0:0:0:0:0:0:1']],
  ['loopback', 'loopback, IPv4-mapped', ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:127.8.8.8']],
  [
    'refused',
    'private',
    ['10.0.0.0', '10.255.255.255', '172.16.0.1', '172.31.255.254', '192.168.0.1', '192.168.255.255'],
  ],
  ['refused', 'private, IPv4-mapped', ['::ffff:10.0.0.1', '::ffff:192.168.1.1', '::ffff:ac10:1']],
  [
    'refused',
    'link-local',
    ['169.254.0.1', '169.254.255.254', 'fe80::1', 'febf:ffff::1', '::ffff:169.254.1.1'],
  ],
  [
    'refused',
    'cloud metadata',
    ['169.254.169.254', '169.254.170.2', '::ffff:169.254.169.254', 'fd00:ec2::254'],
  ],
  ['refused', 'Azure host channel', ['168.63.129.16', '::ffff:168.63.129.16', '::ffff:a83f:8110']],
  ['refused', 'Alibaba and Oracle metadata', ['100.100.100.200', '192.0.0.192']],
  ['refused', 'carrier-grade NAT', ['100.64.0.0', '100.64.0.1', '100.127.255.255']],
  [
    'refused',
    'unspecified and this network',
    ['0.0.0.0', '0.0.0.1', '0.255.255.255', '::', '::ffff:0.0.0.0'],
  ],
  ['refused', 'broadcast', ['255.255.255.255', '::ffff:255.255.255.255']],
  ['refused', 'multicast', ['224.0.0.1', '239.255.255.250', 'ff02::1', 'ff0e::1']],
  ['refused', 'reserved for later', ['240.0.0.1', '250.1.2.3', '255.255.255.254']],
  [
    'refused',
    'documentation',
    ['192.0.2.1', '198.51.100.7', '203.0.113.9', '2001:db8::1', '3fff::1', '3fff:fff::1'],
  ],
  ['refused', 'benchmarking', ['198.18.0.1', '198.19.255.255', '2001:2::1']],
  ['refused', 'protocol assignments', ['192.0.0.1', '192.0.0.170', '2001::1:1']],
  ['refused', 'unique local', ['fc00::1', 'fd12:3456:789a::1', 'fdff:ffff::1']],
  ['refused', 'site local, abandoned', ['fec0::1', 'feff::1']],
  [
    'refused',
    'NAT64',
    ['64:ff9b::7f00:1', '64:ff9b::a9fe:a9fe', '64:ff9b::8.8.8.8', '64:ff9b:1::1', '64:ff9b:1:ffff::a00:1'],
  ],
  ['refused', '6to4', ['2002:7f00:1::1', '2002:a9fe:a9fe::', '2002:0808:0808::1']],
  ['refused', 'Teredo', ['2001::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2']],
  [
    'refused',
    'IPv4-compatible, deprecated',
    ['::10.0.0.1', '::169.254.169.254', '::7f00:2', '::a00:1', '::808:808'],
  ],
  ['refused', 'IPv4-translated', ['::ffff:0:127.0.0.1', '::ffff:0:7f00:1', '::ffff:0:a00:1']],
  ['refused', 'ISATAP within link-local', ['fe80::5efe:10.0.0.1', 'fe80::200:5efe:7f00:1']],
  ['refused', 'discard-only, ORCHID, segment routing', ['100::1', '2001:10::1', '2001:20::1', '5f00::1']],
  [
    'refused',
    'not an address',
    [
      '',
      'localhost',
      'example.com',
      '256.0.0.1',
      '1.2.3.4.5',
      '::g',
      '127.0.0.1/8',
      'fe80::1%eth0',
      ' 8.8.8.8',
    ],
  ],
  [
    'public',
    'public',
    ['8.8.8.8', '1.1.1.1', '93.184.216.34', '9.255.255.255', '11.0.0.0', '172.15.255.255', '172.32.0.0'],
  ],
  [
    'public',
    'public, adjacent to a range',
    [
      '100.63.255.255',
      '100.128.0.0',
      '169.253.255.255',
      '169.255.0.0',
      '192.167.255.255',
      '192.169.0.0',
      '198.17.255.255',
      '198.20.0.0',
      '168.63.129.15',
      '168.63.129.17',
      '223.255.255.255',
      '126.255.255.255',
      '128.0.0.1',
    ],
  ],
  [
    'public',
    'public, IPv6',
    ['2606:4700:4700::1111', '2001:4860:4860::8888', '2a00:1450:4001:80b::200e', '2003::1', '2620:fe::fe'],
  ],
  ['public', 'public, IPv4-mapped', ['::ffff:8.8.8.8']],
]

describe('the address guard', () => {
  it('is tested with a large table of addresses', () => {
    const addresses = table.flatMap(([, , list]) => list)
    assert.equal(new Set(addresses).size, addresses.length)
    assert.ok(addresses.length >= 100, `${addresses.length}`)
  })

  for (const [verdict, label, addresses] of table)
    it(`classifies as ${verdict}: ${label}`, () => {
      const wrong = addresses.filter(address => classifyAddress(address) !== verdict)
      assert.deepEqual(wrong, [])
    })

  it('classifies the same in upper case and in expanded form', () => {
    for (const [verdict, , addresses] of table)
      for (const address of addresses)
        assert.equal(classifyAddress(address.toUpperCase()), verdict, address.toUpperCase())
    assert.equal(classifyAddress('0000:0000:0000:0000:0000:ffff:7f00:0001'), 'loopback')
    assert.equal(classifyAddress('fe80:0000:0000:0000:0000:0000:0000:0001'), 'refused')
  })

  it('extracts an address from the host of a URL, and returns null for names', () => {
    assert.equal(literalAddress('127.0.0.1'), '127.0.0.1')
    assert.equal(literalAddress('[::1]'), '::1')
    for (const name of ['localhost', 'example.com', '127.0.0.1.nip.io', 'a.b', ''])
      assert.equal(literalAddress(name), null, name)
  })
})
