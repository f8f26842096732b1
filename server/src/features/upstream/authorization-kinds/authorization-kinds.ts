import {
  type AsksFor,
  type AuthorizationMethod,
  type AuthorizationType,
  type ConnectorFile,
  type FormMethod,
  isFormMethod,
  methodOf,
} from '@carabiner/contract'
import type { Secret } from '../../../core/secret.ts'
import type { SignableRequest } from '../../../core/signing/signable-request.ts'
import { newUuid } from '../../../core/uuid.ts'
import type { ClientCertificate, Egress } from '../../../platform/egress/egress.ts'
import type {
  AuthorizationKind,
  FormValues,
  ObtainedSecret,
  SigningMoment,
  Tenant,
} from '../authorization-kind.ts'
import { fillAddress, namesIn, tenantValues } from '../templates/template.ts'
import { apiKey } from './api-key/api-key.ts'
import { awsSignature } from './aws-signature/aws-signature.ts'
import { oauth1 } from './oauth1/oauth1.ts'
import { oauth2 } from './oauth2/oauth2.ts'
import { signature } from './signature/signature.ts'
import { tokenRequest } from './token-request/token-request.ts'

/** Every authorization kind. Other code asks this table instead of comparing types. */
const KINDS = {
  oauth2,
  api_key: apiKey,
  token_request: tokenRequest,
  aws_signature: awsSignature,
  signature,
  oauth1,
} satisfies Record<AuthorizationType, unknown>

type Kinds = (typeof KINDS)[AuthorizationType]
export type CredentialSecret = ReturnType<Kinds['fromPlain']>
export type PlainSecret = ReturnType<Kinds['toPlain']>
export type OAuthSecret = Extract<CredentialSecret, { kind: 'oauth2' }>

type Kind = AuthorizationKind<
  AuthorizationMethod,
  Tenant & { kind: AuthorizationType },
  { kind: AuthorizationType }
>

const kindOf = (type: AuthorizationType): Kind => KINDS[type] as Kind

export const toPlain = (secret: CredentialSecret): PlainSecret =>
  kindOf(secret.kind).toPlain(secret) as PlainSecret

export const fromPlain = (plain: PlainSecret): CredentialSecret =>
  kindOf(plain.kind).fromPlain(plain) as CredentialSecret

/** Of a request that is sent now. Many vendors accept only letters and digits in nonces. */
export const signingMoment = (): SigningMoment => ({ at: new Date(), nonce: newUuid().replaceAll('-', '') })

/** `clientCertificate`: what the connection presents in the TLS handshake. */
type Authorized<R> = R & { clientCertificate?: ClientCertificate }

/**
 * The request with its credential. Each attempt needs a call of its own, immediately before the request is sent, because a signature
 * covers the time and the whole request.
 */
export const authorizeRequest = <R extends SignableRequest>(
  connector: ConnectorFile,
  secret: CredentialSecret,
  request: R,
  moment: SigningMoment = signingMoment(),
): Authorized<R> => {
  const headers = { ...request.headers, ...authorizationHeaders(connector, secret, request.url) }
  const method = methodOf(connector, secret.kind)
  const kind = kindOf(secret.kind)
  const signed = kind.sign?.(method, secret, { ...request, headers }, moment)
  const clientCertificate = kind.clientCertificate?.(method, secret)
  return {
    ...request,
    headers: { ...headers, ...signed },
    ...(clientCertificate && { clientCertificate }),
  }
}

/**
 * The headers that do not depend on the request. A credential is sent only to the origins that its connector declares, whatever the
 * tool's URL is.
 */
export const authorizationHeaders = (
  connector: ConnectorFile,
  secret: CredentialSecret,
  url: string,
): Record<string, string> => {
  const { origin } = new URL(url)
  if (!allowedOrigins(connector, secret.tenant).includes(origin))
    throw new Error(`the credential of ${connector.slug} must not be sent to ${origin}`)
  return kindOf(secret.kind).headers(methodOf(connector, secret.kind), secret)
}

/** Origins with placeholders that have no value yet are skipped. */
const allowedOrigins = (connector: ConnectorFile, tenant: Record<string, string>): string[] =>
  connector.credential_origins
    .filter(template => namesIn(template).every(name => Object.hasOwn(tenantValues(tenant), name)))
    .map(template => new URL(fillAddress(template, tenant)).origin)

/** The secret values of a credential. The scrubber derives other encodings itself. */
export const secretTexts = (connector: ConnectorFile, secret: CredentialSecret): string[] => {
  const texts = kindOf(secret.kind).secretTexts(methodOf(connector, secret.kind), secret)
  return [...new Set(texts)].filter(text => text !== '')
}

/** Users enter the secret themselves, so it may be wrong in ways that a token from the provider cannot be. */
export const isEntered = ({ kind }: CredentialSecret): boolean => kindOf(kind).obtain !== null

/** Whether the access of the credential can be replaced without its user. */
export const isRenewable = ({ kind }: CredentialSecret): boolean => kindOf(kind).renewal !== null

/** Replaces the access of a secret by a request of its own. Null: the kind cannot, or the connector no longer uses it. */
export const renewalOf = (connector: ConnectorFile | null, { kind }: CredentialSecret) => {
  const method = connector && methodOf(connector, kind)
  const { renewal } = kindOf(kind)
  if (!method || renewal?.by !== 'own_request') return null
  return (egress: Egress, secret: CredentialSecret) =>
    renewal.renew({ egress }, method, secret) as Promise<ObtainedSecret<CredentialSecret>>
}

/** What the user has entered for a secret. Null: the user has signed in at the provider instead. */
export const enteredFields = (secret: CredentialSecret): Record<string, Secret> | null =>
  kindOf(secret.kind).entered?.(secret) ?? null

/** Of what the user has entered, the values of fields that are not secret. */
export const shownFields = (connector: ConnectorFile, secret: CredentialSecret): Record<string, string> => {
  const method = methodOf(connector, secret.kind)
  const entered = enteredFields(secret) ?? {}
  return method && isFormMethod(method)
    ? Object.fromEntries(
        method.fields
          .filter(field => !field.secret)
          .flatMap(({ name }) => (entered[name] ? [[name, entered[name].reveal()]] : [])),
      )
    : {}
}

export const asksFor = ({ type }: FormMethod): AsksFor => kindOf(type).asksFor ?? 'credentials'

/** The secret with the current secret of its OAuth app. Null: the kind has no such secret, or it has not changed. */
export const withAppSecret = (
  secret: CredentialSecret,
  { clientId, clientSecret }: { clientId: string; clientSecret: Secret | null },
): CredentialSecret | null => {
  const { renewal } = kindOf(secret.kind)
  if (renewal?.by !== 'app_secret' || !clientSecret) return null
  return renewal.renew(secret, { clientId, clientSecret }) as CredentialSecret | null
}

/** Makes the secret of a method from what the user has entered. */
export const obtainSecret = (
  egress: Egress,
  method: FormMethod,
  values: FormValues,
): Promise<ObtainedSecret<CredentialSecret>> => {
  const { obtain } = kindOf(method.type)
  if (!obtain) throw new Error(`a credential of type ${method.type} is not made from a form`)
  return obtain({ egress }, method, values) as Promise<ObtainedSecret<CredentialSecret>>
}
