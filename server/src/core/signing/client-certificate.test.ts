import assert from 'node:assert/strict'
import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { createCertificate } from '../../../test/support/certificates.ts'
import { certificateEnd, readClientCertificate } from './client-certificate.ts'

const NOW = new Date()
const authority = createCertificate('authority')
const ana = createCertificate('ana', { issuer: authority })
const read = (text: string, key = ana.key, now = NOW) => readClientCertificate(text, key, now)
const problemOf = (...args: Parameters<typeof read>) => {
  const found = read(...args)
  return 'problem' in found && found.problem
}

test('the certificate of the key comes first, whatever the order and the line ends', () => {
  const expected = { pem: ana.certificate + authority.certificate }
  assert.deepEqual(read(ana.certificate + authority.certificate), expected)
  assert.deepEqual(read(authority.certificate + ana.privateKey + ana.certificate), expected)
  assert.deepEqual(
    read(`notes\n${(ana.certificate + authority.certificate).replaceAll('\n', '\r\n')}`),
    expected,
  )
  assert.deepEqual(read((ana.certificate + authority.certificate).replaceAll('\n', '\\n')), expected)
})

test('a text without a certificate is named', () => {
  assert.equal(problemOf(''), 'not_a_certificate')
  assert.equal(problemOf('hello'), 'not_a_certificate')
  assert.equal(problemOf(ana.certificate.slice(0, -60)), 'not_a_certificate')
  assert.equal(problemOf(ana.certificate.replace(/\n.{40}/, '\n')), 'not_a_certificate')
  assert.equal(
    problemOf(ana.certificate.replaceAll('CERTIFICATE', 'CERTIFICATE REQUEST')),
    'not_a_certificate',
  )
  assert.equal(problemOf(`${ana.certificate}${'x'.repeat(40_000)}`), 'not_a_certificate')
  assert.equal(problemOf(ana.privateKey), 'private_key')
})

test('a certificate of another key is named, also of another type of key', () => {
  assert.equal(problemOf(authority.certificate), 'wrong_key')
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  assert.equal(problemOf(ana.certificate, rsa), 'wrong_key')
})

test('a certificate that has expired or is not valid yet is named', () => {
  const { validFromDate, validToDate } = new X509Certificate(ana.certificate)
  assert.deepEqual(certificateEnd(ana.certificate), validToDate)
  const at = (date: Date, milliseconds: number) => new Date(date.getTime() + milliseconds)
  assert.equal(problemOf(ana.certificate, ana.key, at(validToDate, 1)), 'expired')
  assert.equal(problemOf(ana.certificate, ana.key, at(validFromDate, -1)), 'not_yet_valid')
  assert.equal(problemOf(ana.certificate, ana.key, validToDate), false)
})

test('the stored key has the type that Node.js compares', () =>
  assert.ok('pem' in read(ana.certificate, createPrivateKey(ana.privateKey))))
