import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import { fingerprint } from '../fingerprint.ts'
import { isJsonObject } from '../http/json-object.ts'
import type { Ledger, LedgerDetail, LedgerEntry } from '../ledger.ts'

type Entry = Omit<LedgerEntry, 'at'>

/** Records the outcome of each authorization, token and revocation request in the ledger. */
export function recordOAuth(provider: Provider, ledger: Ledger): void {
  const authorizations = new WeakMap<KoaContextWithOIDC, Entry>()
  provider.on('authorization.success', ctx => {
    authorizations.set(ctx, authorization(ctx, 'ok', { granted: granted(ctx) }))
  })
  provider.on('authorization.error', (ctx, error) => {
    authorizations.set(ctx, authorization(ctx, 'refused', { error: error.error }))
  })
  provider.use(async (ctx: KoaContextWithOIDC, next) => {
    await next()
    const entry = authorizations.get(ctx) ?? backChannelEntry(ctx)
    if (entry) ledger.record(entry)
  })
}

function authorization(ctx: KoaContextWithOIDC, outcome: Entry['outcome'], detail: LedgerDetail): Entry {
  const account = ctx.oidc.session?.accountId ?? null
  const requested = text(ctx.oidc.params?.scope)?.split(' ') ?? []
  return { kind: 'authorize', account, outcome, detail: { client_id: clientId(ctx), requested, ...detail } }
}

function granted({ oidc }: KoaContextWithOIDC): string[] {
  return oidc.grant?.getOIDCScopeFiltered(oidc.requestParamOIDCScopes).split(' ') ?? []
}

/** The calls of a client's server. Requests without a route are not recorded. */
function backChannelEntry(ctx: KoaContextWithOIDC): Entry | undefined {
  if (ctx.method !== 'POST' || !ctx.oidc) return undefined
  if (ctx.oidc.route === 'token') return tokenEntry(ctx)
  if (ctx.oidc.route === 'revocation') return revocationEntry(ctx)
  return undefined
}

function tokenEntry(ctx: KoaContextWithOIDC): Entry {
  const { params = {}, entities } = ctx.oidc
  const body = isJsonObject(ctx.body) ? ctx.body : {}
  return {
    kind: params.grant_type === 'refresh_token' ? 'refresh' : 'token',
    account: entities.Account?.accountId ?? null,
    outcome: ctx.status === 200 ? 'ok' : 'refused',
    detail: {
      status: ctx.status,
      client_id: clientId(ctx),
      ...known('error', text(body.error)),
      ...known('scope', text(body.scope)),
      ...known('token_fingerprint', printed(params.refresh_token ?? params.code)),
      ...known('access_token_fingerprint', printed(body.access_token)),
      ...known('refresh_token_fingerprint', printed(body.refresh_token)),
    },
  }
}

function revocationEntry(ctx: KoaContextWithOIDC): Entry {
  const { params = {}, entities } = ctx.oidc
  const token = entities.RefreshToken ?? entities.AccessToken
  return {
    kind: 'revoke',
    account: token?.accountId ?? null,
    outcome: ctx.status === 200 ? 'ok' : 'refused',
    detail: {
      status: ctx.status,
      client_id: clientId(ctx),
      // RFC 7009 §2.2 requires 200 for an unknown token; only the ledger shows the difference.
      found: token !== undefined,
      ...known('token_kind', token && (entities.RefreshToken ? 'refresh_token' : 'access_token')),
      ...known('token_fingerprint', printed(params.token)),
    },
  }
}

function clientId({ oidc }: KoaContextWithOIDC): string | null {
  return oidc.client?.clientId ?? text(oidc.params?.client_id) ?? null
}

function known(name: string, value: string | undefined): LedgerDetail {
  return value === undefined ? {} : { [name]: value }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function printed(value: unknown): string | undefined {
  return typeof value === 'string' ? fingerprint(value) : undefined
}
