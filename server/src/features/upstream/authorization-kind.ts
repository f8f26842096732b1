import type { AsksFor, AuthorizationMethod } from '@carabiner/contract'
import type { Secret } from '../../core/secret.ts'
import type { SignableRequest } from '../../core/signing/signable-request.ts'
import type { ClientCertificate, Egress } from '../../platform/egress/egress.ts'

/**
 * The tenant values of the provider account that a secret belongs to. They are sealed with it, because they determine where it is
 * sent: a modified row must not redirect it.
 */
export type Tenant = { tenant: Record<string, string> }

/** The values of a submitted form, which are checked against the fields of its method. */
export type FormValues = Tenant & { fields: Record<string, Secret> }

/**
 * `rejected`: the provider does not accept the values. `certificate_refused`: it refuses the client certificate in the TLS handshake.
 * `unavailable`: it did not give a definite answer.
 */
export type ObtainedSecret<S> =
  /** `endsInSeconds`: when what the user has entered ends, such as a certificate. Absent: unknown. */
  | { kind: 'obtained'; secret: S; expiresInSeconds: number | null; endsInSeconds?: number }
  | { kind: 'rejected' }
  | { kind: 'certificate_refused' }
  | { kind: 'unavailable'; timedOut: boolean }

type Outbound = { egress: Egress }

/** What a signature contains beside the request, so that it is valid once and for a short time. */
export type SigningMoment = { at: Date; nonce: string }

/**
 * How the access of a secret can be replaced before it ends. `oauth_app`: with a refresh token and the OAuth app that obtained it.
 * `app_secret`: only the secret of that app, if it has changed. `own_request`: with what the secret contains.
 */
type Renewal<M, S> =
  | { by: 'oauth_app' }
  | { by: 'app_secret'; renew(secret: S, app: { clientId: string; clientSecret: Secret }): S | null }
  | { by: 'own_request'; renew(outbound: Outbound, method: M, secret: S): Promise<ObtainedSecret<S>> }

/** One way of authenticating to a provider. The methods are bivariant, so that the kinds form one table. */
export type AuthorizationKind<
  M extends AuthorizationMethod,
  S extends Tenant & { kind: M['type'] },
  Plain,
> = {
  type: M['type']
  toPlain(secret: S): Plain
  fromPlain(plain: Plain): S
  /** Null: an MCP server whose authorization server has not been discovered. */
  headers(method: M | null, secret: S): Record<string, string>
  /** The headers that sign a request. Absent: `headers` are the same for every request. */
  sign?(method: M | null, secret: S, request: SignableRequest, moment: SigningMoment): Record<string, string>
  /** The certificate that the connections of the secret present. Absent: none. */
  clientCertificate?(method: M | null, secret: S): ClientCertificate | null
  /** Every text that must not appear in a result. The scrubber derives other encodings itself. */
  secretTexts(method: M | null, secret: S): string[]
  renewal: Renewal<M, S> | null
  /** Makes the secret from a submitted form. Null: the user signs in at the provider instead. */
  obtain: ((outbound: Outbound, method: M, values: FormValues) => Promise<ObtainedSecret<S>>) | null
  /** What the user has entered, by the names of the fields. Absent: the user signs in at the provider instead. */
  entered?(secret: S): Record<string, Secret>
  /** Default: credentials. */
  asksFor?: AsksFor
}
