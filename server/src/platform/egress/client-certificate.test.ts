import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:https'
import { after, before, describe, it } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { inspect } from 'node:util'
import { createCertificate, type TestCertificate } from '../../../test/support/certificates.ts'
import { startStrictTls, TLS_VERSIONS } from '../../../test/support/strict-tls.ts'
import { Secret } from '../../core/secret.ts'
import { allowLoopback, createEgress, type Egress, EgressError, standInForNetwork } from './egress.ts'

const HOST = 'api.mutual.example'

describe('client certificates', () => {
  const server = createCertificate(HOST)
  const authority = createCertificate('Authority of clients')
  const clientOf = ({ certificate, privateKey }: TestCertificate) => ({
    certificate,
    privateKey: new Secret(privateKey),
  })
  const ana = createCertificate('ana', { issuer: authority })
  const ben = createCertificate('ben', { issuer: authority })
  const connections = new Set<unknown>()
  let requests = 0
  const https = createServer(
    {
      cert: server.certificate,
      key: server.privateKey,
      ca: [authority.certificate],
      requestCert: true,
      rejectUnauthorized: true,
    },
    (request, response) => {
      requests++
      connections.add(request.socket)
      const socket = request.socket as TLSSocket
      response.end(socket.getPeerCertificate().subject.CN)
    },
  )
  let egress: Egress
  let url: string
  before(async () => {
    https.listen(0, '127.0.0.1')
    await once(https, 'listening')
    url = `https://${HOST}:${(https.address() as { port: number }).port}/`
    egress = createEgress({
      [allowLoopback]: true,
      [standInForNetwork]: { addresses: { [HOST]: ['127.0.0.1'] }, authorities: [server.certificate] },
    })
  })
  after(async () => {
    await egress.close()
    https.close()
    https.closeAllConnections()
  })
  const nameSeenBy = async (certificate?: TestCertificate): Promise<string> => {
    const options = certificate && { clientCertificate: clientOf(certificate) }
    const { body } = await egress.request({ url, method: 'GET', ...options })
    return body.toString()
  }
  const failureOf = (certificate?: TestCertificate): Promise<EgressError> =>
    nameSeenBy(certificate).then(
      name => assert.fail(`${name} was accepted`),
      (error: unknown) => {
        assert.ok(error instanceof EgressError)
        return error
      },
    )

  it('identify each request with its own certificate, on connections of its own', async () => {
    assert.deepEqual(await Promise.all([nameSeenBy(ana), nameSeenBy(ben)]), ['ana', 'ben'])
    assert.deepEqual([await nameSeenBy(ana), await nameSeenBy(ben)], ['ana', 'ben'])
    assert.equal(connections.size, 2)
  })

  it('that the server does not accept end the connection, and nothing is requested', async () => {
    const requestsBefore = requests
    const expired = createCertificate('ana', { issuer: authority, validDays: -1 })
    for (const certificate of [undefined, createCertificate('eve'), expired])
      assert.equal((await failureOf(certificate)).failure, 'unreachable')
    assert.equal(requests, requestsBefore)
  })

  for (const version of TLS_VERSIONS)
    it(`that a server refuses with an alert are reported as refused (${version})`, async () => {
      const strict = await startStrictTls({ server, authority, version })
      const ask = (certificate?: TestCertificate) => {
        const options = certificate && { clientCertificate: clientOf(certificate) }
        return egress.request({ url: `https://${HOST}:${strict.port}/`, method: 'GET', ...options })
      }
      const failureOfAsking = (certificate?: TestCertificate): Promise<string> =>
        ask(certificate).then(
          () => 'accepted',
          (error: EgressError) => error.failure,
        )
      try {
        assert.equal((await ask(ana)).status, 200)
        const stranger = createCertificate('eve', { issuer: createCertificate('Another authority') })
        const expired = createCertificate('ana', { issuer: authority, validDays: -1 })
        for (const refused of [createCertificate('eve'), stranger, expired])
          assert.equal(await failureOfAsking(refused), 'certificate_refused')
        // Without a certificate, the person has none to correct.
        assert.equal(await failureOfAsking(), 'unreachable')
        assert.equal((await ask(ana)).status, 200)
      } finally {
        await strict.stop()
      }
    })

  it('with the key of another certificate fail without showing the key', async () => {
    const error = await failureOf({ ...ana, privateKey: ben.privateKey })
    assert.doesNotMatch(inspect(error, { depth: 10 }), /PRIVATE KEY|[A-Za-z0-9+/]{60}/)
  })
})
