import {
  LinkCustomization,
  LinkCustomizationPatch,
  LinkLogo,
  LinkPreview,
  type LinkTheme,
  linkThemes,
} from '@carabiner/contract'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { Refusal } from '../../core/refusal.ts'
import { isUuid } from '../../core/uuid.ts'
import type { Api } from '../../edge/api.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Signer } from '../../platform/vault/vault.ts'
import { brandColours } from './brand-colours.ts'
import { checkPatch, unlistedRedirect } from './customization-patch.ts'
import { logoPath, withDefaults } from './link-customization.ts'
import { type CustomizationRow, linkCustomizationStore } from './link-customization-store.ts'
import { PREVIEW_LIFETIME, previewToken } from './link-preview.ts'
import { LOGO_TYPES, LOGO_UPLOAD_LIMIT, readLogo } from './logo.ts'

const settings = { productionKeyOnly: true } as const
const tags = ['Link customization']
const PATCH_ERRORS = ['invalid_redirect_uri', 'reserved_redirect_parameter', 'unauthorized_origin'] as const
const ThemePath = Type.Object({ theme: Type.Enum(linkThemes) })

type Dependencies = {
  db: Database
  signer: Signer
  baseUrl: string
  linkUrl: string
}

export const customizationRoutes = (
  api: Api,
  { db, signer, baseUrl, linkUrl }: Dependencies,
  clock: () => number = Date.now,
): void => {
  const show = async (organizationId: string): Promise<LinkCustomization> =>
    showCustomization(baseUrl, organizationId, await linkCustomizationStore.find(db, organizationId))

  api.get(
    '/link-customization',
    {
      config: settings,
      schema: {
        summary: 'Read how Link pages look and speak',
        tags,
        response: { 200: LinkCustomization },
      },
    },
    async request => show(request.principal.organizationId),
  )

  api.patch(
    '/link-customization',
    {
      config: {
        ...settings,
        errors: [...PATCH_ERRORS],
        audit: {
          action: 'link_customization.updated',
          before: request => show(request.principal.organizationId),
        },
      },
      schema: {
        summary: 'Change how Link pages look and speak',
        description:
          'Only the given fields change. null means omitted; what clears a field is its empty value: "" for a text, [] for a list, {} for a map.',
        tags,
        body: LinkCustomizationPatch,
        response: { 200: LinkCustomization },
      },
    },
    async request => {
      const { organizationId } = request.principal
      const patch = checkPatch(request.body)
      const isAsked = Object.keys(request.body).length > 0
      if (isAsked && !(await linkCustomizationStore.save(db, organizationId, patch))) throw unlistedRedirect()
      return show(organizationId)
    },
  )

  api.post(
    '/link-customization/preview',
    {
      config: {
        ...settings,
        skipsWakeUp: true,
        idempotency: false,
        errors: [...PATCH_ERRORS],
        audit: false,
      },
      schema: {
        summary: 'Make a link to a preview of the Link pages',
        description:
          'Takes the same fields as a change, shows what they would come to, and changes nothing. Without any it shows the pages as they are. An organization has one draft: the latest.',
        tags,
        body: LinkCustomizationPatch,
        response: { 201: LinkPreview },
      },
    },
    async (request, reply) => {
      const { organizationId } = request.principal
      const draft = Object.keys(request.body).length > 0
      const patch = checkPatch(request.body)
      if (draft && !(await linkCustomizationStore.saveDraft(db, organizationId, patch)))
        throw unlistedRedirect()
      const expiresAt = clock() + PREVIEW_LIFETIME
      return reply.code(201).send({
        preview_url: `${linkUrl}/preview/${previewToken(signer, { organizationId, draft }, expiresAt)}`,
        expires_at: new Date(expiresAt).toISOString(),
      })
    },
  )

  void api.register(async (scope: Api) => {
    acceptImages(scope)
    scope.put(
      '/link-customization/logo/:theme',
      {
        bodyLimit: LOGO_UPLOAD_LIMIT,
        config: {
          ...settings,
          errors: ['invalid_logo', 'unsupported_logo', 'body_too_large', 'invalid_request'],
          audit: { action: 'link_logo.replaced', target: 'params.theme', values: ['width', 'height'] },
        },
        schema: {
          summary: 'Upload the logo of a theme',
          description:
            'The body is the image itself: image/png, image/jpeg or image/webp, at most 512 kB, 16 to 2048 px a side. It is made into a PNG of at most 512 × 160 px without metadata; of a moving image, its first frame.',
          tags,
          params: ThemePath,
          response: { 200: LinkLogo },
        },
      },
      async request => {
        const { organizationId } = request.principal
        const logo = await readLogo((request.body as Buffer | undefined) ?? Buffer.alloc(0))
        await linkCustomizationStore.putLogo(db, organizationId, request.params.theme, logo)
        return showLogo(baseUrl, organizationId, { ...logo, hash: logo.hash.toString('hex') })
      },
    )
  })

  api.delete(
    '/link-customization/logo/:theme',
    {
      config: {
        ...settings,
        errors: ['logo_not_found', 'invalid_request'],
        audit: { action: 'link_logo.removed', target: 'params.theme' },
      },
      schema: {
        summary: 'Remove the logo of a theme',
        tags,
        params: ThemePath,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { organizationId } = request.principal
      if (!(await linkCustomizationStore.deleteLogo(db, organizationId, request.params.theme)))
        throw new Refusal('logo_not_found')
      return reply.code(204).send(null)
    },
  )
}

/** In a scope of its own: nothing else takes images, and this takes nothing else. */
const acceptImages = (scope: Api): void => {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(LOGO_TYPES, { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  scope.addContentTypeParser('*', (_request, _payload, done) => done(new Refusal('unsupported_logo')))
}

/** Public: whoever sees a Link page sees the logo. It is an image made here, and no browser takes it for anything else. */
export const brandAssets = (app: FastifyInstance, { db }: { db: Database }): void => {
  app.get<{ Params: { organization: string; file: string } }>(
    '/brand/:organization/:file',
    async (request, reply) => {
      const { organization, file } = request.params
      const hash = /^([0-9a-f]{32})\.png$/.exec(file)?.[1]
      const row =
        hash &&
        isUuid(organization) &&
        (await linkCustomizationStore.findLogo(db, organization, Buffer.from(hash, 'hex')))
      if (!row) throw new Refusal('not_found')
      return reply
        .headers({
          'cache-control': 'public, max-age=31536000, immutable',
          'content-security-policy': "default-src 'none'; sandbox",
          'cross-origin-resource-policy': 'cross-origin',
        })
        .type('image/png')
        .send(row.png)
    },
  )
}

const showCustomization = (
  baseUrl: string,
  organizationId: string,
  row: CustomizationRow | null,
): LinkCustomization => {
  const logo = (theme: LinkTheme) => {
    const kept = row?.logos?.[theme]
    return kept ? showLogo(baseUrl, organizationId, kept) : null
  }
  return {
    ...withDefaults(row?.settings ?? null),
    logo: { light: logo('light'), dark: logo('dark') },
    contrast: brandColours(row?.settings ?? {}),
    updated_at: row?.updated_at?.toISOString() ?? null,
  }
}

const showLogo = (
  baseUrl: string,
  organizationId: string,
  { hash, width, height }: { hash: string; width: number; height: number },
): LinkLogo => ({ url: baseUrl + logoPath(organizationId, hash), width, height })
