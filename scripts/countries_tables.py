"""Facts and corrections that `make_countries.py` adds to GeoNames' own."""

from __future__ import annotations

CONTINENTS = {
    "AF": "Africa",
    "AS": "Asia",
    "EU": "Europe",
    "NA": "North America",
    "OC": "Oceania",
    "SA": "South America",
}
REGIONS = {
    "Northern Africa": "DZ EG EH LY MA SD TN",
    "Eastern Africa": "BI DJ ER ET KE KM MG MU MW MZ RE RW SC SO SS TZ UG YT ZM ZW",
    "Middle Africa": "AO CD CF CG CM GA GQ ST TD",
    "Southern Africa": "BW LS NA SZ ZA",
    "Western Africa": "BF BJ CI CV GH GM GN GW LR ML MR NE NG SH SL SN TG",
    "Caribbean": "AG AI AW BB BL BQ BS CU CW DM DO GD GP HT JM KN KY LC MF MQ MS PR SX TC TT VC "
    "VG VI",
    "Central America": "BZ CR GT HN MX NI PA SV",
    "South America": "AR BO BR CL CO EC FK GF GY PE PY SR UY VE",
    "Northern America": "BM CA GL PM US",
    "Central Asia": "KG KZ TJ TM UZ",
    "Eastern Asia": "CN HK JP KP KR MN MO TW",
    "South-eastern Asia": "BN ID KH LA MM MY PH SG TH TL VN",
    "Southern Asia": "AF BD BT IN IR LK MV NP PK",
    "Western Asia": "AE AM AZ BH CY GE IL IQ JO KW LB OM PS QA SA SY TR YE",
    "Eastern Europe": "BG BY CZ HU MD PL RO RU SK UA",
    "Northern Europe": "AX DK EE FI FO GB GG IE IM IS JE LT LV NO SE SJ",
    "Southern Europe": "AD AL BA ES GI GR HR IT ME MK MT PT RS SI SM VA XK",
    "Western Europe": "AT BE CH DE FR LI LU MC NL",
    "Australia and New Zealand": "AU CC CX NF NZ",
    "Melanesia": "FJ NC PG SB VU",
    "Micronesia (region)": "FM GU KI MH MP NR PW",
    "Polynesia": "AS CK NU PF TK TO TV WF WS",
}

# Corrections: what GeoNames has that is no longer, or not quite, so.
LEFT_OUT = {
    *("AN", "CS"),  # no longer exist
    "IO",  # a base, without residents
}
NAMES = {"BQ": "Caribbean Netherlands", "NL": "Netherlands", "TL": "Timor-Leste"}
CONTINENT_OF = {"CC": "OC", "TL": "AS"}  # as the United Nations place them
CURRENCY_OF = {"BG": "EUR"}  # since 1 January 2026
CAPITAL_CONTESTED = {"EH", "IL", "LK", "PS"}
NOT_BORDERS = {
    frozenset({"AL", "RS"}),  # Kosovo lies between
    frozenset({"CU", "US"}),  # a leased naval base is not a border
}
MISSING_BORDERS = {frozenset({"BW", "ZM"}), frozenset({"CN", "HK"}), frozenset({"CN", "MO"})}
NOT_CITIES = {
    *("Al Başrah al Qadīmah", "Al Mawşil al Jadīdah"),  # districts listed above their city
    *("East Jerusalem", "Jerusalem", "West Jerusalem"),  # contested
}
NOT_ZONES = {
    *(("CN", "Asia/Macau"), ("SO", "Africa/Addis_Ababa"), ("VN", "Asia/Bangkok")),  # a neighbour's
    ("UA", "Europe/Simferopol"),  # contested
}
# One code per language: GeoNames mixes macrolanguages with their members.
SAME_LANGUAGE = {"nb": "no", "nn": "no", "tl": "fil", "cmn": "zh"}
