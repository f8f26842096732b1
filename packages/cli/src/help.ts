const INTRODUCTION = `carabiner: the command line for a running service. It uses the API, with CARABINER_API_KEY and
CARABINER_URL (default: http://localhost:4000).`

export const API_SECTIONS = {
  webhooks: `  carabiner webhooks listen             send events to a receiver in development, as they happen; prints one line for each
    --forward-to URL                    the receiver, such as http://localhost:3000/webhooks; HTTP is for this machine only
    --types A,B                         only these event types
    --secret SECRET                     signs the requests (whsec_…). Default: WEBHOOK_SECRET, or a new one, which is printed
  carabiner webhooks trigger TYPE       send an event with example data, and print the response; exit code 1 if it is not 2xx
    --endpoint ID                       through the service, to a webhook endpoint
    --forward-to URL --secret SECRET    or directly to a receiver
  carabiner webhooks create URL         create a webhook endpoint; prints its secret, once
    --types A,B  --description TEXT     only these event types; a note
    --format batch  --signature v1a     several events in a request; Ed25519 instead of a shared secret
  carabiner webhooks list               list webhook endpoints
  carabiner webhooks update ID          change --url, --types or --description
  carabiner webhooks pause ID           keep deliveries until it is resumed
  carabiner webhooks resume ID          also enables an endpoint that was disabled
  carabiner webhooks rotate-secret ID   replace the secret; both sign for 24 hours
  carabiner webhooks delete ID          delete an endpoint and its deliveries
  carabiner webhooks deliveries ID      print the latest deliveries; --status pending, delivered or failed
  carabiner webhooks replay ID          make deliveries again; --status failed (default), delivered or missed, --since, --until`,
  logs: `  carabiner logs tail                   print events as they happen; with --json, one JSON object per line
    --types A,B                         only these event types`,
  explain: `  carabiner explain USER TOOL           explain whether a tool call would run; USER is the ID of a Registered User, or your own
                                        exit code 0 if it would run, 2 if the user has to connect an account, 3 if it is rejected
    --pack ID                           the Tool Pack. Default: the default Tool Pack
    --arguments JSON                    also check these arguments: input schema and security rules`,
} as const

export const OPTIONS_HELP = `  --json                                print JSON
  --help, --version`

/** The help of one group of commands, or of all. */
export const helpOn = (noun?: string): string => {
  const own = API_SECTIONS[noun as keyof typeof API_SECTIONS]
  const commands = own ?? Object.values(API_SECTIONS).join('\n')
  return [INTRODUCTION, commands, OPTIONS_HELP].join('\n\n')
}
