# SPDX-License-Identifier: MIT
"""What the generators of synthetic programs share: words for their names, and the command line."""
import argparse
from pathlib import Path

SUBJECTS = ("Account Address Batch Booking Budget Cargo Catalog Channel Claim Contract Course "
            "Customer Delivery Device Document Event Export Forecast Gateway Graph Import Index "
            "Invoice Item Job Journal Ledger License Limit Link Market Match Message Metric "
            "Model Network Node Notice Offer Order Package Parcel Party Patient Payment Period "
            "Plan Policy Portfolio Price Product Profile Project Quota Quote Rate Record Region "
            "Report Request Risk Route Rule Sample Schedule Section Segment Sensor Series "
            "Session Shift Shipment Signal Site Source Stock Supplier Survey Task Tenant Ticket "
            "Token Tour Trade Transfer Unit User Vehicle Vendor Version Visit Voucher Wallet "
            "Warehouse Window Zone").split()
VERBS = ("Adjust Align Apply Assess Assign Balance Bind Check Choose Collect Combine Compare "
         "Count Derive Divide Estimate Expand Explain Filter Find Fold Gather Grade Group Limit "
         "Match Measure Merge Move Order Pick Plan Prepare Project Rank Reduce Refine Resolve "
         "Round Scale Score Select Settle Share Sort Split Spread Sum Trim Update Validate "
         "Weigh").split()
FIELDS = ("amount area bound budget capacity code cost count delta depth distance factor first "
          "grade height index interest last length level limit load margin mass minimum number "
          "offset order part peak period phase price quantity range rank rate ratio result score "
          "share size span start step sum total value version volume weight width").split()


def subject_name(number):
    """The name of module `number`, from 0; no two numbers have the same."""
    turn, index = divmod(number, len(SUBJECTS))
    return SUBJECTS[index] + (str(turn + 1) if turn else "")


def generator_main(write, description, unit, default):
    """The command line of a generator, FOLDER [--UNIT COUNT] [--seed SEED].

    Calls write(folder, count, seed). `unit` names what is counted, in the plural; `default` is
    the count without the option. Exits with status 2 if the arguments are wrong.
    """
    parser = argparse.ArgumentParser(description=description,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument(f"--{unit}", dest="count", metavar="COUNT", type=int, default=default)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    write(arguments.folder, arguments.count, arguments.seed)
