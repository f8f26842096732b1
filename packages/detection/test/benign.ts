import type { Random } from './random.ts'

const hex = '0123456789abcdef'
const uuid = (random: Random): string => [8, 4, 4, 4, 12].map(length => random.letters(length, hex)).join('-')
const word = (random: Random): string =>
  random.pick(['order', 'build', 'cache', 'request', 'worker', 'shard', 'index', 'buffer', 'queue', 'report'])

/** Typical content of logs, code and results that is not personal data. URLs and dates are not among the default entities. */
export const BENIGN: readonly ((random: Random) => string)[] = [
  random => `trace ${uuid(random)} finished in ${random.below(900)} ms`,
  random => `commit ${random.letters(40, hex)} (${word(random)})`,
  random => `sha256:${random.letters(64, hex)}`,
  random => `etag "${random.letters(32, hex)}"`,
  random => `Upgraded to version ${random.below(20)}.${random.below(20)}.${random.below(200)}`,
  random => `"@scope/${word(random)}": "^${random.below(9)}.${random.below(30)}.${random.below(12)}"`,
  random => `[17${random.digits(8)}.${random.digits(6)}] ${word(random)} ready`,
  random => `"updated_at": 17${random.digits(11)}`,
  random =>
    `order ${random.digits(6)} has ${1 + random.below(40)} items at $${random.below(900)}.${random.digits(2)}`,
  random =>
    `for (let i = 0; i < ${random.below(5000)}; i++) ${word(random)}[i] = std::max(a::b, ${random.below(99)})`,
  random => `at ${word(random)} (/srv/app/${word(random)}.ts:${random.below(900)}:${random.below(80)})`,
  random =>
    `GET /v1/${word(random)}s/${random.below(100_000)}?page=${random.below(40)} 200 ${random.below(9000)}`,
  random => `invoice INV-${random.digits(5)} and ticket ${random.letters(3)}-${random.below(9000)}`,
  random =>
    `{"lat": ${random.below(90)}.${random.digits(6)}, "lon": -${random.below(180)}.${random.digits(7)}}`,
  random =>
    `0x${random.letters(8, hex)} 0b${random.letters(16, '01')} ${random.digits(3)},${random.digits(3)},${random.digits(3)}`,
  random => `color: #${random.letters(6, hex)}; margin: ${random.below(40)}px ${random.below(40)}px`,
  random =>
    `The meeting of team ${word(random)} takes ${random.below(90)} minutes in room ${random.below(500)}.`,
  random => `Die Lieferung ${random.digits(5)} kommt in ${1 + random.below(9)} Tagen.`,
  random => `progress ${random.below(100)}% (${random.below(4000)}/${4000 + random.below(4000)})`,
  random => `snowflake 1${random.digits(17)}`,
  random => `import { ${word(random)} } from './${word(random)}-${word(random)}.ts'`,
  random => `git@github.com:acme/${word(random)}.git`,
  random => `icon@2x.png ${word(random)}@${random.below(9)}.${random.below(9)}.${random.below(9)}`,
  random => `ISBN 978-${random.below(9)}-${random.digits(4)}-${random.digits(4)}-${random.below(9)}`,
  random => `data:image/png;base64,iVBORw0KGgo${random.letters(60, 'ABCDEFabcdef0123456789+/')}=`,
  random => `SKU ${random.letters(2)}${random.digits(4)}-${random.letters(3)} x ${random.below(12)}`,
]
