import assert from 'node:assert/strict'
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { test } from 'node:test'
import {
  certificateThumbprints,
  type ExpectedKey,
  type PrivateKeyProblem,
  publicKeyFingerprint,
  readCertificate,
  readPrivateKey,
} from './private-key.ts'

const RSA: ExpectedKey = { type: 'rsa' }
const EC: ExpectedKey = { type: 'ec', curve: 'P-256' }

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })

/** `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1`, with a key that was discarded. */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBjzCCATWgAwIBAgIULa9s5PJiHMolZm0moelgmT9jVuIwCgYIKoZIzj0EAwIw
HDEaMBgGA1UEAwwRY2FyYWJpbmVyLmV4YW1wbGUwIBcNMjYxMTE5MTczNjMzWhgP
MjEyNjEwMjYxNzM2MzNaMBwxGjAYBgNVBAMMEWNhcmFiaW5lci5leGFtcGxlMFkw
EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEyl0BOjyp3b1tebIYeafJMTzi0rfk8R4j
q6UuqvQBNymIEG+9tQtNyCXnnLZ1dFFOSkgRGMHxNZ5IeNEyzuFoF6NTMFEwHQYD
VR0OBBYEFCWonru14K84ta6BRqQInGrLc+rjMB8GA1UdIwQYMBaAFCWonru14K84
ta6BRqQInGrLc+rjMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIh
AJYauSiCTFYk6Yrc5OxqexNhmsGb9fo9+mbBD/q7JZwGAiAmpT6ul6hh3TmpvLhC
LiP4LxPK67L57ueCxcb6hjPgyA==
-----END CERTIFICATE-----
`

const pem = (key: KeyObject, type: 'pkcs1' | 'pkcs8' | 'sec1'): string =>
  key.export({ format: 'pem', type }) as string

const problemOf = (text: string, expected: ExpectedKey): PrivateKeyProblem | undefined => {
  const result = readPrivateKey(text, expected)
  return 'problem' in result ? result.problem : undefined
}

const assertReads = (text: string, key: KeyObject, expected: ExpectedKey) => {
  const result = readPrivateKey(text, expected)
  assert.ok('key' in result && result.key.equals(key), text.replaceAll(/[\w+/=]{30,}/g, '…'))
}

const PASTED: Record<string, (text: string) => string> = {
  'as written by OpenSSL': text => text,
  'with Windows line ends': text => text.replaceAll('\n', '\r\n'),
  'without a final newline': text => text.trimEnd(),
  'with \\n as two characters': text => text.replaceAll('\n', '\\n'),
  'with \\r\\n as four characters': text => text.replaceAll('\n', '\\r\\n'),
  'as a JSON string': text => JSON.stringify(text),
  'in single quotes with blanks around': text => `  '${text}' \n`,
  'from a one-line input, which turns line ends into blanks': text => text.replaceAll('\n', ' '),
  'from a one-line input, which drops line ends': text => text.replaceAll('\n', ''),
  'with a byte order mark': text => `\ufeff${text}`,
  'with indented lines': text => text.replaceAll(/^/gm, '    '),
  'after its certificate': text => CERTIFICATE + text,
  'after the parameters of its curve': text =>
    `-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n${text}`,
}

for (const [description, paste] of Object.entries(PASTED))
  test(`a private key is read ${description}`, () => {
    assertReads(paste(pem(rsa.privateKey, 'pkcs1')), rsa.privateKey, RSA)
    assertReads(paste(pem(rsa.privateKey, 'pkcs8')), rsa.privateKey, RSA)
    assertReads(paste(pem(ec.privateKey, 'sec1')), ec.privateKey, EC)
    assertReads(paste(pem(ec.privateKey, 'pkcs8')), ec.privateKey, EC)
  })

test('an encrypted key is named as such in both encodings', () => {
  const protection = { cipher: 'aes-256-cbc', passphrase: 'correct horse', format: 'pem' } as const
  for (const type of ['pkcs1', 'pkcs8'] as const)
    assert.equal(problemOf(rsa.privateKey.export({ ...protection, type }) as string, RSA), 'encrypted')
})

test('a public key is named as such, also in the form of SSH', () => {
  for (const type of ['pkcs1', 'spki'] as const)
    assert.equal(problemOf(rsa.publicKey.export({ format: 'pem', type }) as string, RSA), 'public_key')
  assert.equal(problemOf('ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC7 me@host', RSA), 'public_key')
})

test('a certificate without its key is named as such', () => {
  assert.equal(problemOf(CERTIFICATE, EC), 'certificate')
})

test('a key of another type, curve or size is named as such', () => {
  const generated = {
    p384: generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey,
    secp256k1: generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey,
    ed25519: generateKeyPairSync('ed25519').privateKey,
    pss: generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).privateKey,
    rsa1024: generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey,
  }
  const cases: [KeyObject, ExpectedKey, PrivateKeyProblem][] = [
    [ec.privateKey, RSA, 'wrong_type'],
    [rsa.privateKey, EC, 'wrong_type'],
    [generated.ed25519, EC, 'wrong_type'],
    [generated.pss, RSA, 'wrong_type'],
    [generated.p384, EC, 'wrong_curve'],
    [generated.secp256k1, EC, 'wrong_curve'],
    [generated.rsa1024, RSA, 'too_small'],
  ]
  for (const [key, expected, problem] of cases) assert.equal(problemOf(pem(key, 'pkcs8'), expected), problem)
})

test('an RSA key whose signatures would take too long is rejected', () => {
  const number = (length: number) => Buffer.alloc(length, 0xff).toString('base64url')
  const half = { p: number(520), q: number(520), dp: number(520), dq: number(520), qi: number(520) }
  const jwk = { kty: 'RSA', n: number(1040), e: 'AQAB', d: number(1040), ...half }
  assert.equal(problemOf(pem(createPrivateKey({ format: 'jwk', key: jwk }), 'pkcs1'), RSA), 'too_large')
})

test('text that is no key is not a key', () => {
  const text = pem(rsa.privateKey, 'pkcs8')
  const cases = [
    '',
    'sk_live_123',
    text.replace('-----END PRIVATE KEY-----', ''),
    text.slice(0, 200) + text.slice(260),
    text.replace('MII', 'M!I'),
    text.replaceAll('PRIVATE KEY', 'OPENSSH PRIVATE KEY'),
    text + ' '.repeat(40_000),
  ]
  for (const [index, input] of cases.entries())
    assert.equal(problemOf(input, RSA), 'not_a_key', `case ${index}`)
})

test('thumbprints of a certificate are those of OpenSSL', () => {
  const certificate = readCertificate(`\r\n${CERTIFICATE.replaceAll('\n', '\\n')}`)
  assert.ok(certificate)
  assert.deepEqual(certificateThumbprints(certificate), {
    x5t: 'awEIccf_sDEtaHcY-qCkOPI0yJo',
    'x5t#S256': 'lBlUQUnySX-AE1i9ROinVvNOiWm-K1O2ZJDuCuRgwhg',
  })
  assert.equal(readCertificate(pem(ec.privateKey, 'pkcs8')), undefined)
  assert.equal(readCertificate(CERTIFICATE.replace('MIIB', 'MIIC')), undefined)
})

test('the fingerprint of a key is that of its public key, as OpenSSL computes it', () => {
  const { publicKey } = readCertificate(CERTIFICATE)!
  assert.equal(publicKeyFingerprint(publicKey), 'SHA256:Mv7XMYyjVfyRa1x4zoSIROc3wpIdUJMY/rzL2Nhy19g=')
  assert.equal(publicKeyFingerprint(rsa.privateKey), publicKeyFingerprint(createPublicKey(rsa.privateKey)))
})
