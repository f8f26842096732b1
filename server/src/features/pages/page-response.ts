import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { linkLanguages } from '@carabiner/contract'
import type { SafeHtml } from '@remix-run/html-template'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Mode } from '../../core/mode.ts'
import type { Connectors } from '../connectors/availability.ts'
import type { Translate } from '../connectors/catalog/translations.ts'
import { isAppCallback } from '../organizations/callback-origin.ts'
import { type Brand, brandOf, type StoredBrand } from '../organizations/link-customization.ts'
import { type View, viewQuery } from './view.ts'
import {
  brandStyle,
  type Frame,
  hashSource,
  type KnownFrame,
  type Look,
  type PageData,
  SCRIPT_HASH,
  STYLE_HASH,
} from './views/index.ts'
import { chooseLanguage } from './views/words/choose-language.ts'
import { wordsIn } from './views/words/index.ts'
import { withTexts } from './views/words/overrides.ts'

/**
 * The two places where Link's pages are served. `connect`: top-level pages under `{base_url}`, never framed. `link`: pages
 * under `{link_url}`, which allowed origins may frame.
 */
export type Mount = 'connect' | 'link'

/** A request for a page. */
export type PageContext = { request: FastifyRequest; reply: FastifyReply; mount: Mount; view: View }

/** The organization and the user of a page. */
export type PageOwner = StoredBrand & {
  organization: { name: string }
  /** `id`: the application's own ID of the user. */
  user: { id: string; name: string | null; email: string | null }
  mode: Mode
  allowedOrigins: string[]
  callbackUrl: string | null
}

/** A request for a page of a known organization. `base`: the path prefix of the pages of this session or link. */
export type OwnedPageContext = PageContext & { base: string; owner: PageOwner }

const lookOf = (brand: Brand, { theme }: View): Look => ({
  theme,
  colors: brand.colors,
  radius: brand.radius,
  coBranding: brand.coBranding,
  logo: brand.logo,
  supportHref: brand.supportUrl,
  privacyHref: brand.privacyUrl,
  termsHref: brand.termsUrl,
})

/** The frame of a page without a session, or of a preview with an organization's brand. */
export const unknownFrame = (
  { request, view }: PageContext,
  data: PageData = {},
  brand: Brand = brandOf(null),
): Frame => {
  const language = languageOf(request, view, brand.defaultLanguage)
  return {
    words: withTexts(wordsIn(language), brand.texts[language] ?? {}),
    look: lookOf(brand, view),
    data,
    embedded: view.surface === 'embedded',
    languages: [],
    organization: null,
    user: null,
    testMode: false,
    requestId: request.id,
    time: new Date(),
  }
}

/** Translates connector texts into the language of the page. */
export const translatorFor = (context: OwnedPageContext, { catalog }: Connectors): Translate =>
  catalog.translator(languageOf(context.request, context.view, brandOf(context.owner).defaultLanguage))

const languageOf = (request: FastifyRequest, view: View, fallback: (typeof linkLanguages)[number]) =>
  chooseLanguage({ requested: view.lang, accepted: request.headers['accept-language'], fallback })

/** `here`: the current page, for its links to other languages. */
export const frameOf = (
  context: OwnedPageContext,
  data: PageData = {},
  here: { path?: string; more?: Record<string, string> } = {},
): KnownFrame => {
  const { view, owner, base } = context
  return {
    ...unknownFrame(context, { ...openerOf(context), ...data }, brandOf(owner)),
    languages: languagesAt(`${base}${here.path ?? ''}`, view, here.more),
    organization: owner.organization,
    user: userOf(owner.user),
    testMode: owner.mode === 'test',
  }
}

/** The page names the user by name, otherwise by email address, otherwise by the application's own ID. */
const userOf = ({ id, name, email }: PageOwner['user']): KnownFrame['user'] => {
  const trimmed = name?.trim() ?? ''
  return trimmed === '' ? { name: email?.trim() || id, isName: false } : { name: trimmed, isName: true }
}

export const languagesAt = (
  path: string,
  view: View,
  more: Record<string, string> = {},
): Frame['languages'] =>
  linkLanguages.map(language => ({
    language,
    name: wordsIn(language).languageName,
    href: `${path}${viewQuery({ ...view, lang: language }, more)}`,
  }))

/** Messages to the embedding page are sent only if its origin is allowed, and only to that origin. */
const openerOf = ({ mount, view, owner }: OwnedPageContext): PageData =>
  mount === 'link' && view.opener !== null && owner.allowedOrigins.includes(view.opener)
    ? { opener: view.opener, ...(view.nonce !== null && { nonce: view.nonce }) }
    : {}

export const webOrigins = ({ allowedOrigins }: Pick<PageOwner, 'allowedOrigins'>): string[] =>
  allowedOrigins.filter(origin => /^https?:/.test(origin))

type Policy = { development: boolean; baseUrl: string }

export const sendPage = async (
  { request, reply, mount, view }: PageContext,
  status: number,
  page: SafeHtml,
  owner: PageOwner | null,
  { development, baseUrl }: Policy,
): Promise<FastifyReply> => {
  const framers = mount === 'link' && owner ? webOrigins(owner) : []
  if (framers.length === 0) reply.header('x-frame-options', 'DENY')
  // Framed forms need an Origin header, which `no-referrer` would suppress. `strict-origin` never includes the path.
  if (mount === 'link') reply.header('referrer-policy', 'strict-origin')
  const formAction = formActions(owner, development, new URL(baseUrl).origin)
  const policy = pagePolicy(lookOf(brandOf(owner), view), { framers, formAction })
  return sendHtml(request, reply.code(status).header('content-security-policy', policy), page)
}

/**
 * Compressed, because each page includes its script and style. Tokens are masked per response, so the size reveals nothing
 * about them.
 */
export const sendHtml = async (
  { headers }: FastifyRequest,
  reply: FastifyReply,
  page: SafeHtml,
): Promise<FastifyReply> => {
  reply.header('vary', 'Accept-Encoding').type('text/html; charset=utf-8')
  const text = String(page)
  if (!/\bgzip\b/.test(String(headers['accept-encoding']))) return reply.send(text)
  return reply.header('content-encoding', 'gzip').send(await compress(text, { level: COMPRESSION }))
}

const compress = promisify(gzip)
/** Most of the size reduction for a third of the time of the highest level. */
const COMPRESSION = 4

/** Only the inlined script and styles are allowed, by their hashes. */
export const pagePolicy = (
  look: Look,
  { framers, formAction }: { framers: string[]; formAction: string[] },
): string =>
  [
    "default-src 'none'",
    `script-src ${SCRIPT_HASH}`,
    `style-src ${STYLE_HASH} ${hashSource(brandStyle(look))}`,
    "img-src 'self' data:",
    "connect-src 'self'",
    `form-action ${formAction.join(' ')}`,
    `frame-ancestors ${framers.length > 0 ? framers.join(' ') : "'none'"}`,
    "base-uri 'none'",
  ].join('; ')

/**
 * The response to a form may redirect to the provider and the application; Chromium applies form-action to the whole
 * redirect chain.
 */
const formActions = (owner: PageOwner | null, development: boolean, base: string): string[] => {
  const apps = [owner?.callbackUrl, owner?.settings?.redirect_uri]
    .filter(address => address && isAppCallback(address))
    .map(address => new URL(address as string).protocol)
  // The client of a sign-in may listen on a loopback address.
  const loopback = [owner?.callbackUrl].flatMap(address =>
    address?.startsWith('http:') ? new URL(address).origin : [],
  )
  return ["'self'", base, 'https:', ...(development ? ['http:'] : []), ...apps, ...loopback]
}
