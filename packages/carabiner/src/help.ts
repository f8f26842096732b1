import { API_SECTIONS, OPTIONS_HELP } from '@carabiner/cli'
import { plans } from '@carabiner/contract'

const INTRODUCTION = `carabiner: the operator's command line. It uses the same database and settings as the service
(DATABASE_URL or DATA_DIRECTORY, KEY_FILE or VAULT_KEY). webhooks, logs and explain use its API instead, with CARABINER_API_KEY and
CARABINER_URL (default: http://localhost:4000).`

const SECTIONS = {
  org: `  carabiner org create NAME             create an organization; prints its production and test key, once
  carabiner org list                    list organizations
  carabiner org plan ID PLAN            set the plan: ${plans.join(', ')}
    --calls N                           with N calls per cycle instead of the plan's own number
  carabiner org suspend ID              reject all requests of the organization; nothing is deleted
  carabiner org activate ID             serve a suspended organization again
  carabiner org regenerate-key ID       replace the production key; the old one stops working at once
  carabiner org export ID --to FILE     write the organization with all of its data to an encrypted archive
    --key-file FILE                     the key of the archive; created if it does not exist. Default: FILE.key
    --with-broken-audit-trail           export the organization although its audit trail is not intact
  carabiner org import FILE             create the organization from an archive; continues an interrupted import
    --key-file FILE                     the key of the archive. Default: FILE.key
  carabiner org delete ID               delete the organization with all of its data; continues an interrupted deletion
    --confirm NAME                      the organization's name, as a confirmation
    --revoke                            first revoke the tokens of its users at their providers; needs the running service
  carabiner org move ID --to CELL       move the organization to another installation; see \`carabiner org move --help\``,
  people: `  carabiner people invite EMAIL         print a link that signs a person in to the dashboard once; also for a lost password
    --organization ID                   as a member of this organization
    --role ROLE                         admin (default), developer, security or read_only
    --operator                          as an operator of this installation, who administers all organizations
    --name NAME                         Default: the part of EMAIL before the @`,
  backup: `  carabiner backup --to FILE            write the whole database to an encrypted file; the vault key is never in it
    --key-file FILE                     the key of the file; created if it does not exist. Default: FILE.key`,
  restore: `  carabiner restore FILE                restore a backup into an empty database; continues an interrupted restore
    --key-file FILE                     the key of the backup. Default: FILE.key
    --deleted-users FILE                another log of deleted users, in addition to TOMBSTONE_PATH; may be repeated
    --vault-key-file FILE               the vault key of the backup, if this installation has another one
    --check                             only check that the backup is complete and that both keys decrypt it
  carabiner restore --only-deleted-users
                                        after a restore with another program: delete the users in the log of deleted users again`,
  keys: `  carabiner keys create                 create the vault key that production needs, at KEY_FILE
  carabiner keys rotate                 re-encrypt everything under a new key while the service runs; resumes if interrupted
  carabiner keys add                    put the next vault key into KEY_FILE, to copy to several machines before rotating`,
  audit: `  carabiner audit verify                check that the audit trail was not changed or cut
  carabiner audit list                  the latest entries of the audit trail`,
  cells: `  carabiner cells map                   write the map of routing codes for the load balancer of several installations
  carabiner cells list                  list the organizations of all installations`,
  doctor: `  carabiner doctor                      check settings, database, keys, clock, disk, TLS, DNS and network; exit code 1 with findings
    --outbound URL                      also call this URL, as the service would; may be repeated`,
  'support-bundle': `  carabiner support-bundle              write a description of this installation for support, without secrets
    --to FILE                           Default: carabiner-support.json`,
  migrate: `  carabiner migrate                     bring the database up to date, without starting the service`,
  connectors: `  carabiner connectors check            validate connector files, shipped and your own
  carabiner connectors import DOCUMENT  create a connector file from an OpenAPI document`,
  ...API_SECTIONS,
} as const

/** The help of one group of commands, or of all. */
export const helpOn = (noun?: string): string => {
  const own = SECTIONS[noun as keyof typeof SECTIONS]
  const commands = own ?? Object.values(SECTIONS).join('\n')
  return [INTRODUCTION, commands, OPTIONS_HELP].join('\n\n')
}
