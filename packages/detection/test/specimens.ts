import { createHash } from 'node:crypto'
import type { Entity } from '../src/index.ts'
import {
  withFiscalCheck,
  withIbanCheck,
  withLuhn,
  withMod1110,
  withNirKey,
  withVerhoeff,
  withWeights,
} from './check-digits.ts'
import type { Random } from './random.ts'

type Generate = (random: Random) => string

const retry = <T>(generate: () => T | null): T => {
  for (;;) {
    const value = generate()
    if (value !== null) return value
  }
}

const grouped = (text: string, lengths: number[], separator: string): string => {
  let at = 0
  return lengths.map(length => text.slice(at, (at += length))).join(separator)
}

const two = (value: number): string => String(value).padStart(2, '0')

const card: Generate = random => {
  const [prefix, length] = random.pick([
    ['4', 16],
    ['51', 16],
    ['55', 16],
    ['2221', 16],
    ['34', 15],
    ['37', 15],
    ['6011', 16],
    ['36', 14],
    ['3530', 16],
    ['62', 16],
  ] as const)
  const number = withLuhn(prefix + random.digits(length - 1 - prefix.length))
  if (length === 16)
    return random.pick([number, grouped(number, [4, 4, 4, 4], ' '), grouped(number, [4, 4, 4, 4], '-')])
  return length === 15 ? random.pick([number, grouped(number, [4, 6, 5], ' ')]) : number
}

const iban: Generate = random => {
  const [country, account] = random.pick([
    ['DE', random.digits(18)],
    ['GB', random.letters(4) + random.digits(14)],
    ['FR', random.digits(23)],
    ['ES', random.digits(20)],
    ['IT', random.letters(1) + random.digits(22)],
    ['PL', random.digits(24)],
    ['NL', random.letters(4) + random.digits(10)],
    ['NO', random.digits(11)],
  ] as const)
  const code = withIbanCheck(country, account)
  return random.pick([code, code.replace(/(.{4})(?=.)/g, '$1 ')])
}

const base58 = (bytes: Buffer): string => {
  let value = BigInt(`0x${bytes.toString('hex')}`)
  let text = ''
  for (; value > 0n; value /= 58n)
    text = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'[Number(value % 58n)] + text
  return '1'.repeat(bytes.findIndex(byte => byte !== 0)) + text
}
const sha = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest()
const wallet: Generate = random => {
  const body = Buffer.concat([
    Buffer.from([random.pick([0, 5])]),
    Buffer.from(random.letters(40, '0123456789abcdef'), 'hex'),
  ])
  return base58(Buffer.concat([body, sha(sha(body)).subarray(0, 4)]))
}

const lowerDigits = 'abcdefghijklmnopqrstuvwxyz0123456789'
const anyCase = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const hex = '0123456789abcdef'
const token = (random: Random, length: number): string => random.letters(length, anyCase)
const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

const NAMES = [
  'jane',
  'john.doe',
  'maria_lopez',
  'k.nowak',
  'a.müller',
  'info',
  'first.last+tag',
  "o'neil",
  'x',
  'sales-eu',
]
const HOSTS = [
  'example.com',
  'mail.example.co.uk',
  'firma.de',
  'correo.es',
  'poczta.pl',
  'sub.domain.example.org',
  'büro.example',
  'a-b.io',
  'example.museum',
]

const ssn = (random: Random): string =>
  retry(() => {
    const digits = random.digits(9)
    return /^(?:000|666|9)|^\d{3}00|0000$/.test(digits) ? null : digits
  })
const itin = (random: Random): string =>
  `9${random.digits(2)}${random.pick(['50', '65', '70', '88', '90', '92', '94', '99'])}${random.digits(4)}`
const day = (random: Random): string => two(1 + random.below(28))
const month = (random: Random): string => two(1 + random.below(12))
const year = (random: Random): string => String(1950 + random.below(75))

const taxId = (random: Random): string =>
  retry(() => {
    const first = 1 + random.below(9)
    const others = Array.from('0123456789')
      .filter(digit => digit !== String(first))
      .toSorted(() => random.below(3) - 1)
    const digits = [String(first), ...others.slice(0, 8)]
    digits.splice(2 + random.below(8), 0, digits[3] as string)
    const body = digits.join('')
    return body.length === 10 && new Set(body).size === 9 && !/(\d)\1\1/.test(body) ? withMod1110(body) : null
  })

const pension = (random: Random): string => {
  const body = `${random.digits(2)}${day(random)}${month(random)}${random.digits(2)}${random.letters(1)}${random.digits(2)}`
  const digits = body.slice(0, 8) + two(body.charCodeAt(8) - 64) + body.slice(9)
  const total = [2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1].reduce((all, weight, at) => {
    const product = weight * Number(digits[at])
    return all + Math.trunc(product / 10) + (product % 10)
  }, 0)
  return `${body}${total % 10}`
}

const spanish = (number: string): string => 'TRWAGMYFPDXBNJZSQVHLCKE'[Number(number) % 23] as string
const nric: Generate = random => {
  const series = random.pick(Array.from('STFG'))
  const digits = random.digits(7)
  const total = [2, 7, 6, 5, 4, 3, 2].reduce(
    (all, weight, at) => all + weight * Number(digits[at]),
    'TG'.includes(series) ? 4 : 0,
  )
  return series + digits + ('ST'.includes(series) ? 'JZIHGFEDCBA' : 'XWUTRQPNMLK')[total % 11]
}
const pan = (random: Random): string =>
  random.letters(3) +
  random.pick(Array.from('PCHFAT')) +
  random.letters(1) +
  random.digits(4) +
  random.letters(1)
const gstin: Generate = random => {
  const body = `${two(1 + random.below(36))}${pan(random)}${1 + random.below(9)}Z`
  const total = Array.from(body).reduce((all, character, at) => {
    const product = Number.parseInt(character, 36) * (at % 2 === 0 ? 1 : 2)
    return all + Math.trunc(product / 36) + (product % 36)
  }, 0)
  return body + ((36 - (total % 36)) % 36).toString(36).toUpperCase()
}
const dea: Generate = random => {
  const digits = random.digits(6)
  const [a, b, c, d, e, f] = Array.from(digits).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  return `${random.pick(Array.from('ABFM'))}${random.letters(1)}${digits}${(a + c + e + 2 * (b + d + f)) % 10}`
}
const documentNumber: Generate = random => {
  const body =
    random.letters(1, 'CFGHJKLMNPRTVWXYZ') +
    random.letters(8, 'CFGHJKLMNPRTVWXYZ0123456789').replace(/^\D+$/, '12345678')
  const total = Array.from(body).reduce(
    (all, character, at) => all + Number.parseInt(character, 36) * ([7, 3, 1][at % 3] as number),
    0,
  )
  return `${body}${total % 10}`
}

/** Generates a valid value of each entity, independent of the recognizers. */
export const SPECIMENS: Partial<Record<Entity, Generate>> = {
  EMAIL_ADDRESS: random => `${random.pick(NAMES)}@${random.pick(HOSTS)}`,
  CREDIT_CARD: card,
  IBAN_CODE: iban,
  CRYPTO: random => (random.below(4) === 0 ? `0x${random.letters(40, hex)}` : wallet(random)),
  US_SSN: random =>
    random.pick([grouped(ssn(random), [3, 2, 4], '-'), grouped(ssn(random), [3, 2, 4], ' '), ssn(random)]),
  US_ITIN: random => random.pick([grouped(itin(random), [3, 2, 4], '-'), itin(random)]),
  US_BANK_NUMBER: random =>
    retry(() =>
      withWeights(
        random.pick(['01', '02', '11', '12', '21', '31', '32']) + random.digits(6),
        [3, 7, 1, 3, 7, 1, 3, 7, 1],
        10,
      ),
    ),
  US_PASSPORT: random => random.pick([random.digits(9), random.letters(1) + random.digits(8)]),
  US_DRIVER_LICENSE: random =>
    random.pick([
      random.letters(1) + random.digits(7),
      random.letters(1) + random.digits(12),
      random.digits(8),
    ]),
  MEDICAL_LICENSE: dea,
  UK_NHS: random => {
    const number = retry(() =>
      withWeights(`${4 + random.below(4)}${random.digits(8)}`, [10, 9, 8, 7, 6, 5, 4, 3, 2, 1], 11),
    )
    return random.pick([number, grouped(number, [3, 3, 4], ' ')])
  },
  UK_NINO: random => {
    const number =
      random.pick(['AB', 'CE', 'JM', 'PW', 'SK', 'YZ']) + random.digits(6) + random.pick(Array.from('ABCD'))
    return random.pick([number, grouped(number, [2, 2, 2, 2, 1], ' ')])
  },
  DE_TAX_ID: random => random.pick([taxId(random), grouped(taxId(random), [2, 3, 3, 3], ' ')]),
  DE_SOCIAL_SECURITY: random => random.pick([pension(random), grouped(pension(random), [2, 6, 1, 3], ' ')]),
  DE_ID_CARD: documentNumber,
  FR_NIR: random => {
    const number = withNirKey(
      `${1 + random.below(2)}${random.digits(2)}${month(random)}${random.pick(['75', '69', '13', '2A', '2B', '33'])}${random.digits(6)}`,
    )
    return random.pick([number, grouped(number, [1, 2, 2, 2, 3, 3, 2], ' ')])
  },
  ES_NIF: random => {
    const number = random.digits(8)
    return random.pick([number + spanish(number), `${number}-${spanish(number)}`])
  },
  ES_NIE: random => {
    const [first, number] = [random.below(3), random.digits(7)]
    return 'XYZ'[first] + number + spanish(first + number)
  },
  IT_FISCAL_CODE: random =>
    withFiscalCheck(
      `${random.letters(6, 'BCDFGLMNPRSTVZ')}${random.digits(2)}${random.pick(Array.from('ABCDEHLMPRST'))}${day(random)}${random.pick(Array.from('ABCDEFGHIL'))}${random.digits(3)}`,
    ),
  IT_VAT_CODE: random => withLuhn(`0${random.digits(9)}`.replace(/^0{7}/, '0123456')),
  PL_PESEL: random =>
    retry(() =>
      withWeights(
        `${random.digits(2)}${two(random.pick([0, 20]) + 1 + random.below(12))}${day(random)}${random.digits(4)}`,
        [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1],
        10,
      ),
    ),
  IN_AADHAAR: random => {
    const number = withVerhoeff(`${2 + random.below(8)}${random.digits(10)}`)
    return random.pick([number, grouped(number, [4, 4, 4], ' ')])
  },
  IN_PAN: pan,
  IN_GSTIN: gstin,
  IN_VOTER: random => random.letters(3) + random.digits(7),
  IN_PASSPORT: random =>
    `${random.pick(Array.from('JKLMNPRS'))}${1 + random.below(9)}${random.digits(5)}${1 + random.below(9)}`,
  AU_TFN: random => {
    const number = retry(() => withWeights(random.digits(8), [1, 4, 3, 7, 5, 8, 6, 9, 10], 11))
    return random.pick([number, grouped(number, [3, 3, 3], ' ')])
  },
  AU_ABN: random =>
    retry(() => {
      const body = random.digits(9)
      for (let check = 11; check < 99; check++) {
        const digits = `${check}${body}`
        const total = [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19].reduce(
          (all, weight, at) => all + weight * (Number(digits[at]) - (at === 0 ? 1 : 0)),
          0,
        )
        if (total % 89 === 0) return random.pick([digits, grouped(digits, [2, 3, 3, 3], ' ')])
      }
      return null
    }),
  AU_ACN: random => retry(() => withWeights(random.digits(8), [8, 7, 6, 5, 4, 3, 2, 1, 1], 10)),
  AU_MEDICARE: random => {
    const eight = `${2 + random.below(5)}${random.digits(7)}`
    const check =
      [1, 3, 7, 9, 1, 3, 7, 9].reduce((all, weight, at) => all + weight * Number(eight[at]), 0) % 10
    const number = `${eight}${check}${1 + random.below(9)}`
    return random.pick([number, grouped(number, [4, 5, 1], ' ')])
  },
  SG_NRIC_FIN: nric,
  PHONE_NUMBER: random =>
    random.pick([
      `+1 ${random.pick(['415', '212', '646'])} ${2 + random.below(8)}${random.digits(2)} ${random.digits(4)}`,
      `(${random.pick(['415', '212', '305'])}) ${2 + random.below(8)}${random.digits(2)}-${random.digits(4)}`,
      `${random.pick(['415', '212', '305'])}-${2 + random.below(8)}${random.digits(2)}-${random.digits(4)}`,
      `+49 30 ${1 + random.below(9)}${random.digits(6)}`,
      `+44 7${random.digits(3)} ${random.digits(6)}`,
      `+33 6 ${grouped(random.digits(8), [2, 2, 2, 2], ' ')}`,
      `06 ${grouped(random.digits(8), [2, 2, 2, 2], ' ')}`,
      `+34 6${random.digits(2)} ${random.digits(3)} ${random.digits(3)}`,
      `+48 5${random.digits(2)} ${random.digits(3)} ${random.digits(3)}`,
      `+919${random.digits(9)}`,
    ]),
  IP_ADDRESS: random =>
    random.pick([
      Array.from({ length: 4 }, () => String(1 + random.below(254))).join('.'),
      `2001:db8:${random.letters(4, hex)}::${1 + random.below(9)}${random.letters(2, hex)}`,
      `fe80::${Array.from({ length: 4 }, () => `${1 + random.below(9)}${random.letters(3, hex)}`).join(':')}`,
    ]),
  MAC_ADDRESS: random =>
    Array.from({ length: 6 }, () => random.letters(2, hex)).join(random.pick([':', '-'])),
  URL: random =>
    `https://${random.pick(HOSTS.filter(host => !host.includes('ü')))}/${random.letters(6, lowerDigits)}?q=${random.letters(3, lowerDigits)}`,
  DATE_TIME: random =>
    random.pick([
      `${year(random)}-${month(random)}-${day(random)}`,
      `${day(random)}.${month(random)}.${year(random)}`,
      `${month(random)}/${day(random)}/${year(random)}`,
      `${year(random)}-${month(random)}-${day(random)}T10:${two(random.below(60))}:00Z`,
      `${day(random)} ${random.pick(['January', 'March', 'Juni', 'octubre', 'juillet'])} ${year(random)}`,
    ]),
  JWT: random =>
    `${base64url({ alg: 'HS256', typ: 'JWT' })}.${base64url({ sub: random.digits(8) })}.${token(random, 43)}`,
  PRIVATE_KEY: random =>
    `-----BEGIN PRIVATE KEY-----\n${token(random, 64)}\n${token(random, 40)}==\n-----END PRIVATE KEY-----`,
  API_KEY: random =>
    random.pick([
      `AKIA${random.letters(16, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')}`,
      `ghp_${token(random, 36)}`,
      `sk_live_${token(random, 24)}`,
      `xoxb-${random.digits(12)}-${token(random, 24)}`,
      `AIza${token(random, 35)}`,
      `sk-ant-api03-${token(random, 80)}`,
      `glpat-${token(random, 20)}`,
      `npm_${token(random, 36)}`,
      `SG.${token(random, 22)}.${token(random, 43)}`,
    ]),
  CARABINER_TOKEN: random => `${random.pick(['cb_sk_live_', 'cb_mcp_', 'cb_lnk_'])}${token(random, 53)}`,
}
