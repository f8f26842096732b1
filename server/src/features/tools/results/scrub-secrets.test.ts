import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import { createScrubber, replaceBrokenBlocks } from './scrub-secrets.ts'

const scrubSecrets = (value: unknown, secrets: string[]) => createScrubber(secrets)(value)
const SECRET = 'sk/live+4f9A==zQ_7-x'
const MARK = '[REDACTED:CREDENTIAL]'

const perCharacter = (write: (code: number) => string) =>
  Array.from(SECRET)
    .map(character => write(character.charCodeAt(0)))
    .join('')
const hexOf = (code: number, length: number) => code.toString(16).padStart(length, '0')
const base64At = (before: string, encoding: 'base64' | 'base64url') =>
  Buffer.from(`${before}${SECRET} and more`).toString(encoding)

test('scrubSecrets: a credential that the provider echoes does not reach the model', () => {
  const secrets = ['tok"en\\1']
  const echoed = { headers: ['Bearer tok"en\\1'], 'tok"en\\1': { deep: 'xtok"en\\1y' }, other: 1 }
  assert.deepEqual(scrubSecrets(echoed, secrets), {
    headers: [`Bearer ${MARK}`],
    [MARK]: { deep: `x${MARK}y` },
    other: 1,
  })
})

test('scrubSecrets: a result without the credential is returned unchanged', () => {
  for (const value of [{ notes: ['a %41 &amp; \\u0041 é', 'b'], n: 12 }, 'text', 7, null, undefined])
    assert.equal(scrubSecrets(value, ['sv_live_1', '']), value)
})

describe('the credential is scrubbed', () => {
  const spellings: [form: string, echo: string][] = [
    ['unchanged', SECRET],
    ['with escaped slashes', SECRET.replaceAll('/', '\\/')],
    ['as \\u002f', SECRET.replaceAll('/', '\\u002f')],
    ['as \\u escapes in upper case', perCharacter(code => `\\u${hexOf(code, 4).toUpperCase()}`)],
    ['in JSON within JSON', JSON.stringify(JSON.stringify(SECRET.replaceAll('/', '\\/'))).slice(3, -3)],
    ['as \\x escapes', perCharacter(code => `\\x${hexOf(code, 2)}`)],
    ['percent-encoded', encodeURIComponent(SECRET)],
    [
      'percent-encoded in lower case',
      encodeURIComponent(SECRET).replace(/%../g, found => found.toLowerCase()),
    ],
    ['percent-encoded twice', encodeURIComponent(encodeURIComponent(SECRET))],
    ['percent-encoded as a whole', perCharacter(code => `%${hexOf(code, 2)}`)],
    ['in decimal entities', perCharacter(code => `&#${code};`)],
    ['in hexadecimal entities', perCharacter(code => `&#x${hexOf(code, 2)};`)],
    [
      'in named entities',
      SECRET.replaceAll('/', '&sol;').replaceAll('=', '&equals;').replaceAll('_', '&lowbar;'),
    ],
    ['in entities that are escaped', SECRET.replaceAll('/', '&amp;#47;')],
    ['with zero-width characters', Array.from(SECRET).join('\u200b')],
    ['with a soft hyphen', `${SECRET.slice(0, 5)}\u00ad${SECRET.slice(5)}`],
    [
      'in full-width letters',
      SECRET.replace(/[a-z0-9]/gi, c => String.fromCharCode(c.charCodeAt(0) + 0xfee0)),
    ],
    ['in hex', Buffer.from(SECRET).toString('hex')],
    ...[' ', ':', '-', ', '].map((separator): [string, string] => [
      `in hex with ${JSON.stringify(separator)} between the bytes`,
      perCharacter(code => separator + hexOf(code, 2)).slice(separator.length),
    ]),
    ['in quoted-printable', SECRET.replaceAll('=', '=3D')],
    ['in quoted-printable as a whole', perCharacter(code => `=${hexOf(code, 2).toUpperCase()}`)],
    ['in quoted-printable lines', `${SECRET.slice(0, 9)}=\r\n${SECRET.slice(9)}`.replace('==z', '=3D=3Dz')],
    ['in tag characters', perCharacter(code => String.fromCodePoint(0xe0000 + code))],
    ['with a line break', `${SECRET.slice(0, 9)}\n${SECRET.slice(9)}`],
    ['with spaces', `${SECRET.slice(0, 4)}  ${SECRET.slice(4, 9)} ${SECRET.slice(9)}`],
  ]
  for (const [form, echo] of spellings)
    it(form, () => {
      assert.equal(scrubSecrets(`before ${echo} after`, [SECRET]), `before ${MARK} after`)
      assert.deepEqual(scrubSecrets({ headers: { [echo]: [1, echo] } }, [SECRET]), {
        headers: { [MARK]: [1, MARK] },
      })
    })

  for (const before of ['', 'u', 'us', 'user:'])
    for (const encoding of ['base64', 'base64url'] as const)
      it(`in ${encoding} after ${before.length} other bytes`, () => {
        const scrubbed = scrubSecrets({ echo: base64At(before, encoding) }, [SECRET]) as { echo: string }
        assert.ok(scrubbed.echo.includes(MARK))
        const left = scrubbed.echo.split(MARK).map(part => Buffer.from(part, encoding).toString('latin1'))
        assert.ok(
          left.every(part => !/live|4f9A|zQ_7/.test(part)),
          scrubbed.echo,
        )
      })

  it('in base64 in lines, and in base64 twice within other bytes', () => {
    const lines = (base64At('x'.repeat(50), 'base64').match(/.{1,60}/g) as string[]).join('\r\n')
    const twice = Buffer.from(base64At('us', 'base64')).toString('base64')
    const exactly = Buffer.from(Buffer.from(SECRET).toString('base64')).toString('base64')
    for (const echo of [lines, twice, exactly, `see:\n${lines}\nend`]) {
      const scrubbed = scrubSecrets({ echo }, [SECRET]) as { echo: string }
      assert.ok(scrubbed.echo.includes(MARK), echo)
      const left = scrubbed.echo.replaceAll(/\s/g, '').split(MARK)
      const read = (text: string) => Buffer.from(text, 'base64').toString('latin1')
      assert.ok(
        left.every(part => !/4f9A|zQ_7/.test(read(part) + read(read(part)))),
        scrubbed.echo,
      )
    }
  })

  it('split over two or more texts', () => {
    const block = (text: string) => ({ type: 'text', text })
    const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' }
    const [a, b, c] = [SECRET.slice(0, 3), SECRET.slice(3, 11), SECRET.slice(11)]
    assert.deepEqual(
      scrubSecrets({ content: [block(`x ${a}`), image, block(b), block(`${c} y`)] }, [SECRET]),
      {
        content: [block(`x ${MARK}`), image, block(''), block(' y')],
      },
    )
    const escaped = encodeURIComponent(SECRET)
    assert.deepEqual(scrubSecrets([`x${escaped.slice(0, 4)}`, escaped.slice(4)], [SECRET]), [`x${MARK}`, ''])
  })

  it('in bytes, which become text', () => {
    const blob = Buffer.from(`a file with ${SECRET} in it`).toString('base64')
    const other = { type: 'image' as const, data: 'AAAA', mimeType: 'image/png' }
    const content = [{ type: 'resource' as const, resource: { uri: 'x:y', blob } }, other]
    assert.deepEqual(replaceBrokenBlocks(scrubSecrets(content, [SECRET]) as typeof content), [
      { type: 'text', text: MARK },
      other,
    ])
  })

  it('as a number', () => {
    assert.deepEqual(scrubSecrets({ pin: 48151623, other: 4815162 }, ['48151623']), {
      pin: MARK,
      other: 4815162,
    })
  })

  it('with four or five characters only as a separate word, and with fewer not at all', () => {
    const text = 'pin 7f3a, "7f3a" or 7f3\u200ba, not x7f3a or 7f3ab; abc'
    assert.equal(
      scrubSecrets(text, ['7f3a', 'abc']),
      `pin ${MARK}, "${MARK}" or ${MARK}, not x7f3a or 7f3ab; abc`,
    )
    assert.equal(scrubSecrets('key 7f3a9 key', ['7f3a9']), `key ${MARK} key`)
  })
})

test('scrubSecrets: texts that only resemble a credential stay', () => {
  for (const text of [
    `${SECRET.slice(0, 9)} and ${SECRET.slice(9)}`,
    `${'QUJD'.repeat(15)}\n${'QUJD'.repeat(15)}`,
    'de ad be ef 00 11 22 33',
    '123 456 = 78\n9',
  ])
    assert.equal(scrubSecrets(text, [SECRET, '123456789']), text)
})

test('scrubSecrets: malformed escapes and deep values cause no error', () => {
  const text = '%zz %e2%82 &#99999999; &#xffffff; &unknown; \\u12 \\x &#; %'
  assert.equal(scrubSecrets(text, [SECRET]), text)
  let deep: unknown = SECRET
  for (let n = 0; n < 900; n++) deep = [deep]
  assert.ok(JSON.stringify(scrubSecrets(deep, [SECRET])).includes(MARK))
})
