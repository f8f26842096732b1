import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isRefusal } from '../../../core/refusal.ts'
import { mimeMessage } from './mime-message.ts'
import { fillValue } from './template.ts'

const decode = (raw: string): { headers: string[]; text: string } => {
  const [head = '', body = ''] = Buffer.from(raw, 'base64url').toString('utf8').split('\r\n\r\n')
  return {
    headers: head.replaceAll('\r\n ', ' ').split('\r\n'),
    text: Buffer.from(body, 'base64').toString('utf8'),
  }
}

test('mime: a message with recipients, subject and text is parsed by a mail library', () => {
  const { headers, text } = decode(
    mimeMessage({
      to: ['ana@example.com', 'Ben "B" O. <ben@example.com>'],
      cc: ['Zoë <zoe@example.com>'],
      subject: 'Lunch?',
      in_reply_to: '<1@mail.example.com>',
      text: 'Grüße\n.\nFrom here',
    }),
  )
  assert.deepEqual(headers, [
    'To: ana@example.com, "Ben \\"B\\" O." <ben@example.com>',
    'Cc: =?utf-8?B?Wm/Dqw==?= <zoe@example.com>',
    'Subject: Lunch?',
    'In-Reply-To: <1@mail.example.com>',
    'References: <1@mail.example.com>',
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: base64',
  ])
  assert.equal(text, 'Grüße\n.\nFrom here')
})

test('mime: a subject of any length and script becomes words of at most 75 characters', () => {
  const subject = '😀ж'.repeat(120)
  const raw = Buffer.from(mimeMessage({ to: ['a@b.c'], subject, text: '' }), 'base64url').toString('utf8')
  assert.ok(raw.split('\r\n').every(line => line.length <= 78))
  const words = [...raw.matchAll(/=\?utf-8\?B\?([^?]*)\?=/g)].map(match => match[1] as string)
  assert.ok(words.every(word => word.length <= 63))
  assert.equal(words.map(word => Buffer.from(word, 'base64').toString('utf8')).join(''), subject)
})

test('mime: no field can inject a header', () => {
  const attacks = [
    'a@b.c\r\nBcc: evil@example.com',
    'x\nBcc: e@e.e',
    'a@b.c, evil@example.com',
    '<a@b.c> <e@e.e>',
    'a@b.c\0',
    'none',
    '@',
    'a b@c.d',
    '"a\r\n" <a@b.c>',
    'x <a@b.c>\u2028',
  ]
  for (const address of attacks)
    for (const field of ['to', 'cc', 'bcc'])
      assert.throws(
        () => mimeMessage({ to: ['a@b.c'], [field]: [address], subject: 's', text: 't' }),
        error => isRefusal(error, 'invalid_arguments') && error.param === field,
        `${field} ${JSON.stringify(address)}`,
      )
  for (const id of ['<a>\r\nBcc: e@e.e', '<a b>', 'a@b', '<>', '<a><b>'])
    assert.throws(() => mimeMessage({ to: ['a@b.c'], in_reply_to: id, subject: '', text: '' }), isRefusal)
  const { headers } = decode(
    mimeMessage({ to: ['a@b.c'], subject: 'Hi\r\nBcc: evil@example.com', text: '\r\n\r\nBcc: x' }),
  )
  assert.ok(headers.every(header => !header.startsWith('Bcc')))
  assert.equal(headers.filter(header => header.startsWith('Subject: =?utf-8?B?')).length, 1)
})

test('mime: the template form becomes the message, without missing fields', () => {
  const filled = fillValue(
    {
      raw: { $mime: { to: '{to}', cc: '{cc}', subject: '{subject}', text: '{text}' } },
      threadId: '{thread}',
    },
    { to: ['a@b.c'], subject: 'Hi', text: 'x' },
  ) as { raw: string }
  assert.deepEqual(Object.keys(filled), ['raw'])
  assert.deepEqual(decode(filled.raw).headers.slice(0, 2), ['To: a@b.c', 'Subject: Hi'])
})
