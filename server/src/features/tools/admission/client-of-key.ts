/**
 * `client_id` is the key, or the registered client of an access token; never the name that a client gives itself. An API key and all that
 * replace it are one client.
 */
export const clientOfKey = (organizationId: string): string => `lateral (
     select lineage::text as client_id, 'api_key' as client_type from tool_api_keys
       where organization_id = ${organizationId} and hash = :keyHash
     union all
     select id::text, 'mcp_key' from mcp_keys where organization_id = ${organizationId} and hash = :keyHash
     union all
     select g.client_id, 'client' from access_tokens t
       join client_grants g on g.organization_id = t.organization_id and g.id = t.grant_id
       where t.organization_id = ${organizationId} and t.hash = :keyHash
     limit 1)`
