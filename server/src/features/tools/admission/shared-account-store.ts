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
