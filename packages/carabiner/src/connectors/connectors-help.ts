export const CONNECTORS_HELP = `carabiner connectors: check and import connector files. See docs/reference/connector-files.md.

  carabiner connectors check [FILE|FOLDER …]   validate connector files; without any, the shipped ones and CONNECTORS_DIRECTORY

  carabiner connectors import DOCUMENT         create a connector file from an OpenAPI 3.0 or 3.1 document (YAML or JSON)
    --out FOLDER                               output folder (default: CONNECTORS_DIRECTORY)
    --slug SLUG, --name NAME                   its slug and name (default: from the document's title)
    --include PATTERN                          only operations whose path, ID or tag matches, such as '/pets*'; may be repeated
    --max N                                    maximum number of tools (default: 60)
    --server URL                               base URL, if the document does not contain it
    --identity PATH                            path of the GET request that identifies the account, such as /me
    --auth HOW                                 how the key is sent, if the document does not say: bearer, basic, header:NAME, or
                                               header:NAME=TEMPLATE, such as 'header:Authorization=Token {api_key}'
    --force                                    overwrite an existing file

  --json                                       print JSON`
