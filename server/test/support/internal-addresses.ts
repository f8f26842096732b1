/** URLs of internal targets: private, loopback, link-local, metadata and translated addresses, in all notations. */

/** Tested in all notations. */
const INTERNAL_V4 = ['127.0.0.1', '127.8.8.8', '10.0.0.1', '169.254.169.254', '168.63.129.16', '100.64.0.1']
/** Tested in the most different notations: dotted, as a number, and embedded in IPv6. */
const MORE_INTERNAL_V4 = [
  '172.16.0.1',
  '172.31.255.254',
  '192.168.1.1',
  '169.254.170.2',
  '100.100.100.200',
  '192.0.0.192',
  '198.18.0.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '0.0.0.0',
]

const INTERNAL_V6 = [
  '::1',
  '0:0:0:0:0:0:0:1',
  '0000:0000:0000:0000:0000:0000:0000:0001',
  '::',
  'fe80::1',
  'febf::1',
  'fec0::1',
  'fc00::1',
  'fd00:ec2::254',
  'fdff:ffff::1',
  'ff02::1',
  '64:ff9b::7f00:1',
  '64:ff9b:1::7f00:1',
  '2001::1',
  '2001:0:4136:e378:8000:63bf:80ff:fffe',
  '2001:db8::1',
  '2001:10::1',
  '100::1',
  '3fff::1',
  '5f00::1',
]

const bytesOf = (address: string): number[] => address.split('.').map(Number)
const numberOf = (address: string): number => bytesOf(address).reduce((sum, byte) => sum * 256 + byte, 0)
const hexPair = ([a = 0, b = 0]: number[]): string => (a * 256 + b).toString(16)
const halves = (address: string): string =>
  `${hexPair(bytesOf(address).slice(0, 2))}:${hexPair(bytesOf(address).slice(2))}`
const octal = (byte: number): string => `0${byte.toString(8)}`
const hex = (byte: number): string => `0x${byte.toString(16)}`
const fullWidth = (address: string): string =>
  address.replace(/\d/g, digit => String.fromCharCode(0xff10 + Number(digit)))
const percent = (address: string): string =>
  address.replace(/\d/g, digit => `%${digit.charCodeAt(0).toString(16)}`)

/** Notations of one IPv4 address that URL parsers accept, and its IPv6 embeddings. */
const spellings: ((address: string) => string)[] = [
  address => address,
  address => `${address}.`,
  address => String(numberOf(address)),
  address => `0x${numberOf(address).toString(16)}`,
  address => `0X${numberOf(address).toString(16).toUpperCase()}`,
  address => `0${numberOf(address).toString(8)}`,
  address => bytesOf(address).map(octal).join('.'),
  address => bytesOf(address).map(hex).join('.'),
  address =>
    bytesOf(address)
      .map((byte, at) => (at % 2 ? octal(byte) : hex(byte)))
      .join('.'),
  address => `${bytesOf(address)[0]}.${numberOf(address) % 2 ** 24}`,
  address => `${bytesOf(address).slice(0, 2).join('.')}.${numberOf(address) % 2 ** 16}`,
  fullWidth,
  percent,
  address => address.replaceAll('.', '。'),
  address => `[::ffff:${address}]`,
  address => `[::ffff:${halves(address)}]`,
  address => `[::FFFF:${halves(address).toUpperCase()}]`,
  address => `[0:0:0:0:0:ffff:${halves(address)}]`,
  address => `[::${address}]`,
  address => `[::ffff:0:${halves(address)}]`,
  address => `[64:ff9b::${address}]`,
  address => `[64:ff9b::${halves(address)}]`,
  address => `[2002:${halves(address)}::1]`,
  address => `[fe80::5efe:${halves(address)}]`,
]

/** Host names that a stubbed lookup resolves to an internal address, alone or together with a public one. */
export const INTERNAL_NAMES: Record<string, string[]> = {
  'loop.example': ['127.0.0.1'],
  'loop6.example': ['::1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'mixed.example': ['93.184.216.34', '127.0.0.1'],
  'mixed6.example': ['2606:4700:4700::1111', '::1'],
  'metadata.example': ['169.254.169.254'],
  'azure.example': ['168.63.129.16'],
  'private.example': ['10.1.2.3'],
  'cgnat.example': ['100.64.1.1'],
  'nat64.example': ['64:ff9b::a9fe:a9fe'],
  'sixtofour.example': ['2002:7f00:1::'],
  'teredo.example': ['2001:0:1::'],
  'ula.example': ['fd12::1'],
  'zero.example': ['0.0.0.0'],
  'unresolvable.example': [],
  'xn--lop-tna.example': ['127.0.0.1'],
}

const internalHosts = (): string[] => [
  ...INTERNAL_V4.flatMap(address => spellings.map(spell => spell(address))),
  ...MORE_INTERNAL_V4.flatMap(address =>
    spellings.filter((_, at) => at % 2 === 0).map(spell => spell(address)),
  ),
  ...INTERNAL_V6.map(address => `[${address}]`),
  ...Object.keys(INTERNAL_NAMES),
  'LOOP.example',
  'löop.example',
  'localhost',
  'LOCALHOST',
  'localhost.',
]

/** URLs that are invalid, or whose host differs from what it seems to be. */
const misleadingUrls = (port: number): string[] => [
  `http://127.0.0.1:${port}/`,
  `http://localhost:${port}/`,
  `http://[::1]:${port}/`,
  `HTTP://127.0.0.1:${port}/`,
  `hTtPs://127.0.0.1:${port}/`,
  `https:127.0.0.1:${port}/`,
  `https:/127.0.0.1:${port}/`,
  `https:\\\\127.0.0.1:${port}\\`,
  `https://127.0.0.1\t:${port}/`,
  `\n https://127.0.0.1:${port}/`,
  `https://user:pass@127.0.0.1:${port}/`,
  `https://hostile.example@127.0.0.1:${port}/`,
  `https://hostile.example:443@127.0.0.1:${port}/`,
  `https://127.0.0.1:${port}\\@hostile.example/`,
  `https://127.0.0.1:${port}@hostile.example/`,
  `https://user@hostile.example/`,
  `https://[fe80::1%25eth0]:${port}/`,
  `https://[::1%25lo]:${port}/`,
  `https://[::1%lo]:${port}/`,
  `//127.0.0.1:${port}/`,
  `127.0.0.1:${port}`,
  `ws://127.0.0.1:${port}/`,
  `wss://127.0.0.1:${port}/`,
  `ftp://127.0.0.1:${port}/`,
  `gopher://127.0.0.1:${port}/_`,
  `blob:https://127.0.0.1:${port}/`,
  `file:///etc/passwd`,
  `data:application/json,{}`,
  `javascript:fetch('https://127.0.0.1:${port}')`,
  `unix:///var/run/docker.sock`,
  `http://hostile.example/`,
  `https://`,
  `https://:${port}/`,
  ``,
]

export const internalAddresses = (port: number): string[] => [
  ...new Set([...internalHosts().map(host => `https://${host}:${port}/mcp`), ...misleadingUrls(port)]),
]
