// What an application keeps for a client that signs its user in: metadata, registration, tokens and the PKCE verifier.
import { send } from './serve.mjs'

export const createProvider = redirectUri => {
  const kept = {}
  return {
    redirectUrl: redirectUri,
    clientMetadata: { client_name: 'Signing client', redirect_uris: [redirectUri] },
    state: () => 'state-of-the-client',
    clientInformation: () => kept.client,
    saveClientInformation: client => void (kept.client = client),
    tokens: () => kept.tokens,
    saveTokens: tokens => {
      kept.tokens = tokens
      send({ event: 'tokens', count: (kept.count = (kept.count ?? 0) + 1) })
    },
    saveCodeVerifier: verifier => void (kept.verifier = verifier),
    codeVerifier: () => kept.verifier,
    redirectToAuthorization: url => send({ event: 'authorize', url: url.href }),
  }
}

/** Connects, signs in after the first refusal, and connects again. `finish`: ends the sign-in with the parameters of the redirect. */
export const createConnection = (createClient, createTransport, finish) => {
  let transport = createTransport()
  let client = createClient()
  return {
    connect: () => client.connect(transport),
    finish: async parameters => {
      await finish(transport, new URLSearchParams(parameters))
      transport = createTransport()
      client = createClient()
      await client.connect(transport)
    },
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
  }
}
