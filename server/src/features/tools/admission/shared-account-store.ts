/**
 * SQL: the credentials of other users that `:registeredUserId` may use with the pack `:toolPackId`, with the key of their owner. The owner
 * must be active, so that deactivation ends the access at once.
 */
export const sharedWith = (organizationId: string, mode: string) => `
         select c.*, o.data_key as owner_key from (
           select distinct credential_id from admission_shares
           where organization_id = ${organizationId} and connector_slug = :connectorSlug
             and (registered_user_id = :registeredUserId or tool_pack_id = :toolPackId
               or registered_user_id is null and tool_pack_id is null) offset 0) s
         join lateral (
           select * from admission_credentials where organization_id = ${organizationId} and id = s.credential_id
             and registered_user_id <> :registeredUserId and status <> 'revoked' offset 0) c on true
         join lateral (
           select data_key from admission_users where organization_id = ${organizationId} and id = c.registered_user_id
             and mode = ${mode} and is_active offset 0) o on true`

/** SQL: the accounts of all connectors that are shared with the caller. */
export const sharedAccounts = (caller: string) => `
           select l.connector_slug, l.label, l.id from admission_shares s
           join linked_accounts l on l.organization_id = s.organization_id and l.id = s.credential_id
             and l.registered_user_id <> ${caller}.user_id
           join admission_users o on o.organization_id = l.organization_id and o.id = l.registered_user_id and o.is_active
             and o.mode = ${caller}.mode
           where s.organization_id = ${caller}.organization_id and (s.registered_user_id = ${caller}.user_id
             or s.tool_pack_id = ${caller}.pack_id or s.registered_user_id is null and s.tool_pack_id is null)`
