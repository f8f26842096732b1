import { NIL_UUID } from '../../../core/uuid.ts'

/** SQL: whom an account may be shared with so that the user may use it with the pack. The nil UUID is everyone. */
const granteesOf = (user: string, pack: string) => `array[${user}::uuid, ${pack}::uuid, '${NIL_UUID}'::uuid]`

/**
 * SQL: the credentials of other users that `:registeredUserId` may use with the pack `:toolPackId`, with the key of their owner. The owner
 * must be active, so that deactivation ends the access at once.
 */
export const sharedWith = (organizationId: string, mode: string) => `
         select c.*, o.data_key as owner_key from (
           select distinct s.credential_id, s.owner_id from unnest(${granteesOf(':registeredUserId', ':toolPackId')}) as g (id)
           join lateral (
             select credential_id, owner_id from admission_shares where organization_id = ${organizationId} and grantee = g.id
               and connector_slug = :connectorSlug offset 0) s on true) s
         join lateral (
           select * from admission_credentials where organization_id = ${organizationId} and registered_user_id = s.owner_id
             and connector_slug = :connectorSlug and id = s.credential_id and status <> 'revoked' offset 0) c on true
         join lateral (
           select data_key, mode, is_active from admission_users
           where organization_id = ${organizationId} and id = s.owner_id offset 0) o on true
         where s.owner_id <> :registeredUserId and o.mode = ${mode} and o.is_active`

/** SQL: the accounts of all connectors that are shared with the caller. */
export const sharedAccounts = (caller: string) => `
           select l.connector_slug, l.label, l.id
           from unnest(${granteesOf(`${caller}.user_id`, `${caller}.pack_id`)}) as g (id)
           join lateral (
             select credential_id, owner_id from admission_shares
             where organization_id = ${caller}.organization_id and grantee = g.id offset 0) s on s.owner_id <> ${caller}.user_id
           join linked_accounts l on l.organization_id = ${caller}.organization_id and l.registered_user_id = s.owner_id
             and l.id = s.credential_id
           join admission_users o on o.organization_id = ${caller}.organization_id and o.id = s.owner_id and o.is_active
             and o.mode = ${caller}.mode`
