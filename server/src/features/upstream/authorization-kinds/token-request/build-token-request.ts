import type { TokenHttpRequest } from '@carabiner/contract'
import type { EgressRequest } from '../../../../platform/egress/egress.ts'
import {
  basicCredentials,
  fillAddress,
  fillHeaders,
  fillText,
  fillValue,
  type Values,
} from '../../templates/template.ts'

const MAX_RESPONSE_BYTES = 256 * 1024

export const buildTokenRequest = (
  request: TokenHttpRequest,
  tenant: Record<string, string>,
  values: Values,
): EgressRequest => {
  const { type, body } = bodyOf(request, values)
  return {
    url: addressOf(request, tenant, values),
    method: request.method ?? 'POST',
    headers: {
      accept: request.response === 'text' ? '*/*' : 'application/json',
      ...(type !== null && { 'content-type': type }),
      ...(request.basic && { authorization: `Basic ${basicCredentials(request.basic, values)}` }),
      ...fillHeaders(request.headers, values),
    },
    ...(body !== null && { body }),
    maxBytes: MAX_RESPONSE_BYTES,
  }
}

const addressOf = (
  { url, query }: TokenHttpRequest,
  tenant: Record<string, string>,
  values: Values,
): string => {
  const address = new URL(fillText(fillAddress(url, tenant), values, encodeURIComponent) ?? '')
  for (const [name, value] of parametersOf(query, values)) address.searchParams.append(name, value)
  return address.href
}

const bodyOf = ({ form, json, text }: TokenHttpRequest, values: Values) => {
  if (form)
    return {
      type: 'application/x-www-form-urlencoded',
      body: new URLSearchParams(parametersOf(form, values)).toString(),
    }
  if (json !== undefined)
    return { type: 'application/json', body: JSON.stringify(fillValue(json, values) ?? {}) }
  return {
    type: text === undefined ? null : 'text/plain',
    body: text === undefined ? null : (fillText(text, values) ?? ''),
  }
}

const parametersOf = (templates: Record<string, string> | undefined, values: Values): [string, string][] =>
  Object.entries(templates ?? {}).flatMap(([name, template]) => {
    const value = fillText(template, values)
    return value === null ? [] : [[name, value]]
  })
