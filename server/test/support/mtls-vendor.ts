import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls'
import type { ConnectorFile } from '@carabiner/contract'
import { createCertificate, type TestCertificate } from './certificates.ts'
import { sendJson } from './hostile-authorization.ts'
import { startStrictTls } from './strict-tls.ts'

export const MTLS_VENDOR = 'mtls-vendor'
export const MTLS_CLIENT = { client_id: 'client-1', client_secret: 'mtls-client-secret-canary' }

export type MtlsVendor = Awaited<ReturnType<typeof startMtlsVendor>>

/** A vendor that accepts only connections with a certificate of its authority, and binds each token to the certificate it was issued to. Its tokens and its API are on different ports. */
export const startMtlsVendor = async () => {
  const trusted = getCACertificates('default')
  const identity = createCertificate('localhost')
  const authority = createCertificate('Authority of clients')
  setDefaultCACertificates([...trusted, identity.certificate])
  const holders = new Map<string, string>()
  /** Path and fingerprint of the certificate of each request, with the latest last. */
  const requests: { path: string; presented: string }[] = []
  const state = { tokenStatus: 200 }
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    const presented = (request.socket as TLSSocket).getPeerCertificate().fingerprint256
    const { url: path = '', headers } = request
    requests.push({ path, presented })
    const body = new URLSearchParams(await text(request))
    if (path === '/token') {
      if (state.tokenStatus !== 200) return sendJson(response, { error: 'busy' }, state.tokenStatus)
      const { client_id, client_secret } = MTLS_CLIENT
      const basic = Buffer.from(`${client_id}:${client_secret}`).toString('base64')
      if (headers.authorization !== `Basic ${basic}` || body.get('grant_type') !== 'client_credentials')
        return sendJson(response, { error: 'invalid_client' }, 401)
      const token = `mtls-token-canary-${holders.size}`
      holders.set(token, presented)
      return sendJson(response, { access_token: token, expires_in: 3600 })
    }
    const holder = holders.get(headers.authorization?.replace('Bearer ', '') ?? '')
    // RFC 8705 §3: the token is usable only with the certificate that it was issued to.
    if (holder !== presented) return sendJson(response, { error: 'invalid_token' }, 401)
    return sendJson(response, { name: 'Acme payroll', id: 'acme-1', presented })
  }
  const listen = async (port = 0) => {
    const server = createServer(
      {
        cert: identity.certificate,
        key: identity.privateKey,
        ca: [authority.certificate],
        requestCert: true,
        rejectUnauthorized: true,
      },
      (request, response) => void respond(request, response),
    )
    server.listen(port, 'localhost')
    await once(server, 'listening')
    const stop = async (): Promise<void> => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    }
    return { port: (server.address() as AddressInfo).port, stop }
  }
  const servers = { token: await listen(), api: await listen() }
  const originOf = (name: keyof typeof servers) => `https://localhost:${servers[name].port}`
  return {
    requests,
    connector: connectorAt(originOf('token'), originOf('api')),
    /** Meanwhile, the certificates that the vendor has issued are refused there with an alert. */
    whileRefusing: async (name: keyof typeof servers, work: () => Promise<void>): Promise<void> => {
      const { port, stop } = servers[name]
      await stop()
      const strict = await startStrictTls({ server: identity, authority: createCertificate('Another'), port })
      try {
        await work()
      } finally {
        await strict.stop()
        servers[name] = await listen(port)
      }
    },
    issue: (name: string, validDays = 30): TestCertificate =>
      createCertificate(name, { issuer: authority, validDays }),
    setTokenStatus: (status: number) => {
      state.tokenStatus = status
    },
    forgetTokens: () => holders.clear(),
    stop: async () => {
      setDefaultCACertificates(trusted)
      await Promise.all([servers.token.stop(), servers.api.stop()])
    },
  }
}

const connectorAt = (tokenOrigin: string, origin: string): ConnectorFile => ({
  slug: MTLS_VENDOR,
  name: 'Payroll',
  summary: 'Payslips',
  categories: ['finance'],
  documentation_url: 'https://payroll.example/',
  credential_origins: [origin],
  authorization: [
    {
      type: 'token_request',
      fields: [
        { name: 'client_id', label: 'Client ID', secret: false },
        { name: 'client_secret', label: 'Client secret', secret: true },
        {
          name: 'certificate',
          label: 'Certificate',
          secret: false,
          client_certificate: { private_key: 'private_key' },
        },
        { name: 'private_key', label: 'Private key', secret: true, private_key: { type: 'p256' } },
      ],
      token_origins: [tokenOrigin],
      requests: [
        {
          url: `${tokenOrigin}/token`,
          basic: { username: '{client_id}', password: '{client_secret}' },
          form: { grant_type: 'client_credentials' },
          values: { token: '/access_token', lifetime: '/expires_in' },
        },
      ],
      token: {
        value: '{value.token}',
        expires_in: { value: 'lifetime', unit: 'seconds' },
        lifetime_seconds: 3600,
      },
    },
  ],
  identity: { url: `${origin}/me`, account: '/name', id: '/id' },
  tools: [
    {
      name: 'show',
      title: 'Show',
      description: 'Returns the fingerprint of the certificate.',
      input_schema: { type: 'object', properties: {}, additionalProperties: false },
      scopes: [],
      request: { method: 'GET', url: `${origin}/show` },
      read_only: true,
    },
  ],
})
