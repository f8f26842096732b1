import { RECEIPT_KEYS_PATH } from '@carabiner/contract/approval-receipt'
import type { FastifyInstance } from 'fastify'
import { allowAllOrigins } from '../../../edge/cross-origin.ts'
import type { Vault } from '../../../platform/vault/vault.ts'

/** The public keys that verify receipts, as a JWK set (RFC 7517 §5). */
export const receiptKeys = (app: FastifyInstance, { vault }: { vault: Vault }): void => {
  allowAllOrigins(app, [RECEIPT_KEYS_PATH])
  app.get(RECEIPT_KEYS_PATH, async (_request, reply) =>
    reply.header('cache-control', 'public, max-age=3600').send({ keys: [vault.receiptKey.publicKey] }),
  )
}
